/* The search of the static site: finds sections of search_index.js (search_index.py). It knows no page; search_box.js shows
 * the results. Plain ECMAScript 5, so that tests run it without a browser (tests/pages/search_test.py).
 *
 * A section matches if each word of the query is in its title, in the title of its page or in its text. Titles weigh more than
 * text: a section whose title has every word comes before all that have some of them in their text alone. */
var manyrtSearch = (function () {
  "use strict";
  /* guide, reference, object, page, example, laboratory (search_index.py): added to each score; if the title is the query. */
  var OF_RANK = [30, 28, 6, 6, 2, -20], OF_EXACT = [200, 200, 40, 40, 40, 40];
  var WHOLE = 3, START = 2, INSIDE = 0.5;
  var SHORTEST_INSIDE = 3, MOST_COUNTED = 4, SNIPPET = 190;
  var WITHOUT_MEANING = " a an and are as at be by can do does for from how i if in is it my of on or that the to what when " +
                        "why with ";

  function isLetter(character) { return /[a-z0-9]/i.test(character); }

  /* The words of a query in lower case, without brackets and full stops around them. */
  function wordsOf(query) {
    return query.toLowerCase().split(/\s+/).map(function (each) {
      return each.replace(/^[("'`,;:?!]+/, "").replace(/[)("'`,;:?!.*]+$/, "");
    }).filter(function (word) { return word !== ""; });
  }

  /* Those that are looked for, each once: words such as "how" only where there is no other. */
  function soughtOf(words) {
    var once = words.filter(function (word, k) { return words.indexOf(word) === k; });
    var some = once.filter(function (word) { return WITHOUT_MEANING.indexOf(" " + word + " ") < 0; });
    return some.length > 0 ? some : once;
  }

  /* A word and its singular. */
  function formsOf(word) {
    if (/[a-z]ies$/.test(word) && word.length > 4) return [word, word.slice(0, -3) + "y"];
    return /[a-rt-z]s$/.test(word) && word.length > 3 ? [word, word.slice(0, -1)] : [word];
  }

  /* How well a word at this place fits: a whole word or its plural, the start of one (also in rtMallocAsync), a part of one. */
  function fit(text, at, length) {
    var before = at > 0 ? text.charAt(at - 1) : " ", first = text.charAt(at);
    var starts = !isLetter(before) || (/[A-Z]/.test(first) && /[a-z]/.test(before));
    if (!starts) return length >= SHORTEST_INSIDE ? INSIDE : 0;
    var end = at + length + (text.charAt(at + length) === "s" ? 1 : 0), next = text.charAt(end);
    return isLetter(next) && !(/[A-Z]/.test(next) && /[a-z]/.test(text.charAt(end - 1))) ? START : WHOLE;
  }

  /* The best fit of a word's forms in a text, and how often they are in it; MOST_COUNTED at most. */
  function match(field, forms) {
    var best = 0, count = 0;
    for (var k = 0; k < forms.length; ++k) {
      for (var at = field.lower.indexOf(forms[k]); at >= 0 && count < MOST_COUNTED;
           at = field.lower.indexOf(forms[k], at + forms[k].length)) {
        var own = fit(field.text, at, forms[k].length);
        if (own > 0) ++count;
        best = Math.max(best, own);
      }
      if (count > 0) break;
    }
    return {best: best, count: count};
  }

  function field(text) { return {text: text, lower: text.toLowerCase()}; }

  /* Once for an index. */
  function prepare(index) {
    if (index.fields) return;
    var pages = index.pages.map(function (page) { return field(page[0]); });
    index.fields = index.sections.map(function (section) {
      var is_page = section[2] === index.pages[section[0]][0];
      return {page: is_page ? null : pages[section[0]], title: field(section[2]), text: field(section[3])};
    });
  }

  /* The score of a section; 0: it has not every word, or, with `some`, not one. */
  function score(fields, rank, words, forms, phrase, some) {
    var sum = 0, in_title = 0, found = 0, is_phrase = phrase.indexOf(" ") > 0;
    for (var k = 0; k < words.length; ++k) {
      var title = match(fields.title, forms[k]), text = match(fields.text, forms[k]);
      var page = fields.page ? match(fields.page, forms[k]) : {best: 0, count: 0};
      if (title.best + page.best + text.best === 0) {
        if (!some) return 0;
        continue;
      }
      ++found;
      if (title.best > 0) ++in_title;
      sum += Math.max(20 * title.best, 6 * page.best) + 0.5 * text.best * text.count;
    }
    if (found === 0) return 0;
    if (in_title === words.length) {
      var name = fields.title.lower.replace(/\(\)$/, "");
      sum += 40 + 20 * Math.min(1, phrase.length / name.length) + (fields.page ? 0 : 25);
      if (name === phrase) sum += OF_EXACT[rank];
    }
    if (is_phrase && fields.title.lower.replace(/_/g, " ").indexOf(phrase) >= 0) sum += 20;
    if (is_phrase && fields.text.lower.indexOf(phrase) >= 0) sum += 10;
    return Math.max(sum + OF_RANK[rank], 0.1);
  }

  /* The part of a text that shows the most of the words, as [{text, marked}]. */
  function snippet(text, forms) {
    var own = field(text), hits = [];
    forms.forEach(function (each, word) {
      each.forEach(function (form) {
        for (var at = own.lower.indexOf(form); at >= 0 && hits.length < 500; at = own.lower.indexOf(form, at + form.length))
          if (fit(text, at, form.length) > 0) hits.push({at: at, end: at + form.length, word: word});
      });
    });
    hits.sort(function (a, b) { return a.at - b.at || b.end - a.end; });
    var most = 0, first = 0;
    hits.forEach(function (hit, k) {
      var seen = {}, words = 0;
      for (var m = k; m < hits.length && hits[m].end - hit.at < SNIPPET - 50; ++m) {
        if (!seen[hits[m].word]) ++words;
        seen[hits[m].word] = true;
      }
      if (words > most) most = words, first = hit.at;
    });
    var begin = first < 60 ? 0 : text.indexOf(" ", first - 50) + 1, end = text.length;
    if (begin > first) begin = first;
    if (end - begin > SNIPPET) end = Math.max(text.lastIndexOf(" ", begin + SNIPPET), begin + 1);
    var parts = [], done = begin;
    function add(to, marked) {
      if (to > done) parts.push({text: text.slice(done, to), marked: marked});
      done = Math.max(done, to);
    }
    if (begin > 0) parts.push({text: "\u2026 ", marked: false});
    hits.forEach(function (hit) {
      if (hit.at < done || hit.end > end) return;
      add(hit.at, false);
      add(hit.end, true);
    });
    add(end, false);
    if (end < text.length) parts.push({text: " \u2026", marked: false});
    return parts;
  }

  /* {words, total, some, results: [{title, page, address, snippet}]}, the best first, `limit` at most. `some`: no section has
   * every word, and these have some of them. */
  function find(index, query, limit) {
    prepare(index);
    var all = wordsOf(query), words = soughtOf(all), forms = words.map(formsOf), phrase = all.join(" ");
    var scores = [], some = false;
    function collect() {
      index.fields.forEach(function (fields, k) {
        var own = score(fields, index.pages[index.sections[k][0]][2], words, forms, phrase, some);
        if (own > 0) scores.push([own, k]);
      });
    }
    if (words.length > 0) collect();
    if (scores.length === 0 && words.length > 1) {
      some = true;
      collect();
    }
    scores.sort(function (a, b) { return b[0] - a[0] || a[1] - b[1]; });
    var results = scores.slice(0, limit).map(function (each) {
      var section = index.sections[each[1]], page = index.pages[section[0]];
      return {title: section[2], page: section[2] === page[0] ? "" : page[0],
              address: page[1] + (section[1] ? "#" + section[1] : ""), snippet: snippet(section[3], forms)};
    });
    return {words: words, total: scores.length, some: some, results: results};
  }

  return {find: find};
})();
