/* The search box of the static site, on every page, and the list of results on search.html. The index is a script beside this
 * one and is loaded when the box is first used; so it works from a file, without a server.
 *
 * Keys: / goes to the box; up and down choose a result, Enter opens it, or search.html with all results; Escape closes. */
(function () {
  "use strict";
  var BOX_RESULTS = 10, PAGE_RESULTS = 200;
  var base = document.currentScript.src.replace(/[^\/]*$/, "");
  var state = "none";  /* of the index: none, loading, ready, failed */
  var waiting = [];

  function withIndex(call) {
    if (state === "ready" || state === "failed") return call();
    waiting.push(call);
    if (state === "loading") return;
    state = "loading";
    var script = document.createElement("script");
    function end(how) {
      return function () {
        state = how;
        waiting.splice(0).forEach(function (each) { each(); });
      };
    }
    script.onload = end("ready");
    script.onerror = end("failed");
    script.src = base + "search_index.js";
    document.head.appendChild(script);
  }

  function element(name, className, text) {
    var made = document.createElement(name);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
  }

  function linkTo(result) {
    var link = element("a", "search-result"), words = element("span", "search-words");
    link.href = base + result.address;
    link.appendChild(element("span", "search-title", result.title));
    if (result.page) link.appendChild(element("span", "search-page", result.page));
    result.snippet.forEach(function (part) { words.appendChild(element(part.marked ? "mark" : "span", "", part.text)); });
    link.appendChild(words);
    return link;
  }

  function sentenceOf(found, shown) {
    if (found.total === 0) return "Nothing found.";
    var what = found.total === 1 ? "1 section" : found.total + " sections";
    var have = found.total === 1 ? " has" : " have";
    if (found.some) return "No section has all of these words. " + what + have + " some of them.";
    return shown < found.total ? "The first " + shown + " of " + what + "." : what + ".";
  }

  var FAILED = "search_index.js is not beside this page: make the site again.";

  function resultsPage(place, query) {
    var head = element("p", "search-count", "Searching \u2026");
    place.appendChild(head);
    withIndex(function () {
      if (state === "failed") return void (head.textContent = FAILED);
      var found = manyrtSearch.find(manyrtSearchIndex, query, PAGE_RESULTS);
      head.textContent = sentenceOf(found, found.results.length);
      var list = element("ol", "search-list");
      found.results.forEach(function (result) { list.appendChild(element("li")).appendChild(linkTo(result)); });
      place.appendChild(list);
    });
  }

  function searchBox(form) {
    var input = form.querySelector("input"), list = form.querySelector(".search-popup"), links = [], active = -1;

    function close() {
      list.hidden = true;
      input.setAttribute("aria-expanded", "false");
      activate(-1);
    }
    function activate(to) {
      if (links[active]) links[active].setAttribute("aria-selected", "false");
      active = to;
      if (!links[active]) return input.removeAttribute("aria-activedescendant");
      links[active].setAttribute("aria-selected", "true");
      links[active].scrollIntoView({block: "nearest"});
      input.setAttribute("aria-activedescendant", links[active].id);
    }
    function fill(children) {
      list.textContent = "";
      children.forEach(function (each) { list.appendChild(each); });
      list.hidden = false;
      input.setAttribute("aria-expanded", "true");
    }
    function show() {
      var query = input.value;
      if (!query.trim()) return close();
      withIndex(function () {
        if (query !== input.value || document.activeElement !== input) return;  /* a later call shows what is there now */
        activate(-1);
        links = [];
        if (state === "failed") return fill([element("div", "search-count", FAILED)]);
        var found = manyrtSearch.find(manyrtSearchIndex, query, BOX_RESULTS);
        links = found.results.map(function (result, k) {
          var link = linkTo(result);
          link.id = "search-option-" + k;
          link.setAttribute("role", "option");
          link.setAttribute("aria-selected", "false");
          link.tabIndex = -1;
          return link;
        });
        var last = element("a", "search-count", sentenceOf(found, links.length));
        if (found.total > links.length) {
          last.href = base + "search.html?q=" + encodeURIComponent(query);
          last.textContent = "All " + found.total + " sections";
        }
        fill(links.concat(last));
      });
    }

    input.addEventListener("input", show);
    input.addEventListener("focus", function () {
      withIndex(function () {});
      if (input.value.trim()) show();
    });
    form.addEventListener("focusout", function (event) {
      if (!form.contains(event.relatedTarget)) close();
    });
    list.addEventListener("mousedown", function (event) { event.preventDefault(); });  /* the box keeps the focus */
    input.addEventListener("keydown", function (event) {
      if (event.key === "Escape") {
        if (list.hidden) input.value = "";
        close();
      } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !list.hidden && links.length > 0) {
        var step = event.key === "ArrowDown" ? 1 : -1, count = links.length + 1;
        activate((active + 1 + step + count) % count - 1);  /* -1: the box itself */
      } else if (event.key === "Enter" && links[active] && !list.hidden) {
        window.location.href = links[active].href;
        close();
      } else {
        return;
      }
      event.preventDefault();
    });
    form.addEventListener("submit", function (event) {
      if (!input.value.trim()) event.preventDefault();
    });
    document.addEventListener("keydown", function (event) {
      var at = event.target, types = /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) || at.isContentEditable;
      if (event.key !== "/" || types || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.focus();
      input.select();
    });
  }

  document.addEventListener("DOMContentLoaded", function () {
    var form = document.getElementById("site-search"), place = document.getElementById("search-results");
    if (form) searchBox(form);
    if (!place) return;
    var query = /[?&]q=([^&]*)/.exec(window.location.search);
    query = query ? decodeURIComponent(query[1].replace(/\+/g, " ")) : "";
    if (form) form.querySelector("input").value = query;
    if (query.trim()) resultsPage(place, query);
  });
})();
