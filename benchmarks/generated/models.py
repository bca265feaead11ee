# SPDX-License-Identifier: Apache-2.0
"""Small models for tinygrad, with random weights. Each function returns a step, which is called again and again."""

from tinygrad import Tensor, TinyJit, Variable, nn


class ConvNet:
    """Two pairs of convolutions with batch norms and pools, and a linear layer."""

    def __init__(self):
        self.layers = [nn.Conv2d(1, 32, 5), Tensor.relu, nn.Conv2d(32, 32, 5), Tensor.relu, nn.BatchNorm(32), Tensor.max_pool2d]
        self.layers += [nn.Conv2d(32, 64, 3), Tensor.relu, nn.Conv2d(64, 64, 3), Tensor.relu, nn.BatchNorm(64)]
        self.layers += [Tensor.max_pool2d, lambda x: x.flatten(1), nn.Linear(576, 10)]

    def __call__(self, x):
        return x.sequential(self.layers)


def training():
    """A step of Adam with images of 28 x 28."""
    model, batch = ConvNet(), 64
    optimizer = nn.optim.Adam(nn.state.get_parameters(model))

    @TinyJit
    @Tensor.train()
    def step(images, labels):
        optimizer.zero_grad()
        loss = model(images).sparse_categorical_crossentropy(labels).backward()
        return loss.realize(*optimizer.schedule_step())

    images, labels = Tensor.rand(batch, 1, 28, 28).realize(), Tensor.randint(batch, high=10).realize()
    return lambda: step(images, labels).item()


class Block:
    """Two convolutions beside what goes past them."""

    def __init__(self, inputs, outputs, stride):
        self.conv1, self.norm1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm(outputs)
        self.conv2, self.norm2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm(outputs)
        self.past = [nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm(outputs)] if stride > 1 else []

    def __call__(self, x):
        return (self.norm2(self.conv2(self.norm1(self.conv1(x)).relu())) + x.sequential(self.past)).relu()


class ResNet18:
    """The usual 18 layers."""

    def __init__(self):
        self.conv, self.norm = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm(64)
        self.blocks = [Block(64, 64, 1), Block(64, 64, 1)]
        for width in (128, 256, 512):
            self.blocks += [Block(width // 2, width, 2), Block(width, width, 1)]
        self.linear = nn.Linear(512, 1000)

    def __call__(self, x):
        x = self.norm(self.conv(x)).relu().pad((1, 1, 1, 1)).max_pool2d((3, 3), 2).sequential(self.blocks)
        return self.linear(x.mean((2, 3)))


def resnet():
    """ResNet-18 on one image of 112 x 112."""
    model, image = ResNet18(), Tensor.rand(1, 3, 112, 112).realize()
    step = TinyJit(lambda x: model(x).realize())
    return lambda: step(image).numpy()


class Layer:
    """Attention over the tokens so far, and a feed-forward network."""

    def __init__(self, width, heads, length):
        self.heads, self.length = heads, length
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query_key_value, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.kept = Tensor.zeros(2, 1, length, heads, width // heads).contiguous().realize()

    def __call__(self, x, at):
        """For the token at this place."""
        width = x.shape[-1]
        query, key, value = (part.reshape(1, 1, self.heads, width // self.heads)
                             for part in self.query_key_value(self.norm1(x)).chunk(3, dim=-1))
        self.kept.shrink((None, None, (at, at + 1), None, None)).assign(Tensor.stack(key, value)).realize()
        keys, values = (self.kept[i].shrink((None, (0, at + 1), None, None)).transpose(1, 2) for i in (0, 1))
        seen = query.transpose(1, 2).scaled_dot_product_attention(keys, values).transpose(1, 2).reshape(1, 1, width)
        x = x + self.out(seen)
        return x + self.narrow(self.wide(self.norm2(x)).gelu())

    def all_of(self, x):
        """For all tokens of a batch, each beside those before it."""
        batch, length, width = x.shape
        query, key, value = (part.reshape(batch, length, self.heads, width // self.heads).transpose(1, 2)
                             for part in self.query_key_value(self.norm1(x)).chunk(3, dim=-1))
        seen = query.scaled_dot_product_attention(key, value, is_causal=True).transpose(1, 2).reshape(batch, length, width)
        x = x + self.out(seen)
        return x + self.narrow(self.wide(self.norm2(x)).gelu())


def gpt_training():
    """A step of Adam for a transformer of four layers, with 8 texts of 64 tokens."""
    width, heads, length, words, batch = 128, 4, 64, 512, 8
    embed, place = nn.Embedding(words, width), nn.Embedding(length, width)
    layers, norm, head = [Layer(width, heads, 1) for _ in range(4)], nn.LayerNorm(width), nn.Linear(width, words)
    parameters = [each for part in (embed, place, norm, head) for each in nn.state.get_parameters(part)]
    parts = (part for layer in layers
             for part in (layer.norm1, layer.norm2, layer.query_key_value, layer.out, layer.wide, layer.narrow))
    optimizer = nn.optim.Adam(parameters + [each for part in parts for each in nn.state.get_parameters(part)])

    @TinyJit
    @Tensor.train()
    def step(tokens, following):
        optimizer.zero_grad()
        x = embed(tokens) + place(Tensor.arange(length).reshape(1, length))
        for layer in layers:
            x = layer.all_of(x)
        loss = head(norm(x)).reshape(-1, words).sparse_categorical_crossentropy(following.reshape(-1)).backward()
        return loss.realize(*optimizer.schedule_step())

    texts = Tensor.randint(batch, length + 1, high=words).realize()
    tokens, following = texts[:, :-1].contiguous().realize(), texts[:, 1:].contiguous().realize()
    return lambda: step(tokens, following).item()


def decoding(width=256, heads=8, length=128, words=4096, depth=4):
    """A transformer that makes token after token."""
    embed, place = nn.Embedding(words, width), nn.Embedding(length, width)
    layers, norm, head = [Layer(width, heads, length) for _ in range(depth)], nn.LayerNorm(width), nn.Linear(width, words)

    @TinyJit
    def step(token, at):
        x = embed(token) + place(Tensor([0]).reshape(1, 1) + at)
        for layer in layers:
            x = layer(x, at)
        return head(norm(x)).argmax(-1).realize()

    state = {"token": Tensor([[1]]).realize(), "at": 40}

    def run():
        at = Variable("at", 1, length - 1).bind(state["at"])
        state["at"] = state["at"] + 1 if state["at"] < length - 2 else 40
        state["token"] = step(state["token"], at).reshape(1, 1).contiguous().realize()
        return state["token"].item()

    return run


def gpt2():
    """The same in the shape of the smallest GPT-2."""
    return decoding(width=768, heads=12, length=1024, words=50257, depth=12)


MODELS = {"training": training, "resnet18": resnet, "decoding": decoding}  # whose kernels are captured
WHOLE = {**MODELS, "gpt_training": gpt_training, "gpt2": gpt2}             # which run as they are (side_by_side.py)
