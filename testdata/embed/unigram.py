# Trains a small tokenizer with SentencePiece, and writes it as tokenizer.json beside the
# token ids that SentencePiece gives to some lines. See README.md for how to run it.
import base64, json, os, struct, subprocess, sys, tempfile

out = sys.argv[1]
corpus = """The gate stays shut while a critical question is open.
Each worker posts what it has found, with its source.
Der Nachtlauf stößt gegen halb drei an und überträgt die Größe aller Dateien.
La compuerta sigue cerrada mientras una pregunta crítica está abierta.
Le portail reste fermé tant qu'une question critique est ouverte.
知識ベースは実行の証拠と結論を保存します。
知识库保存每次运行的证据和结论。
Ворота остаются закрытыми, пока открыт важный вопрос.
Cổng vẫn đóng khi một câu hỏi quan trọng còn mở.
البوابة تبقى مغلقة ما دام سؤال مهم مفتوحا""".split("\n")
lines = corpus + [
    "open gate", "  open   gate  ", "Gate!", "ｇａｔｅ ＧＡＴＥ", "ﬁle ﬂow ½ … ①",
    "crítica crític\u0301a cafe\u0301", "Cô\u0309ng va\u0323 va\u0323\u0302", "ậạ ậ ạ", "\u0301\u0302",
    "gate\u00a0open\u3000gate\tgate", "ga\u200bte \x07open", "☃", "☃☃☃ gate ☃x☃", "知識知识 gate知識",
    "no spaceshere,but;punctuation...", "a", "é", "workerworkerworker", "Größe GRÖSSE größer",
    "вопрос ВОПРОС", "مفتوح", "🎉🎉 ship 🎉", "-- -- ==", "zqzq", "Å A\u030a", "question " * 30,
]
rules = {chr(0xFF01 + i): chr(0x21 + i) for i in range(94)} | {
    "ﬁ": "fi", "ﬂ": "fl", "½": "1⁄2", "…": "...", "①": "1", "\u00a0": " ", "\u3000": " ", "\t": " ",
    "\u200b": "", "\x07": "", "e\u0301": "é", "a\u0323": "ạ", "a\u0323\u0302": "ậ", "\u212b": "Å",
}


def fields(message):
    """The fields of a protobuf message: numbers with what they hold."""
    at = 0

    def varint():
        nonlocal at
        n = shift = 0
        while True:
            byte, at = message[at], at + 1
            n, shift = n | (byte & 127) << shift, shift + 7
            if byte < 128:
                return n

    while at < len(message):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
            continue
        n = varint() if tag & 7 == 2 else 4
        value, at = message[at : at + n], at + n
        yield tag >> 3, value if tag & 7 == 2 else struct.unpack("<f", value)[0]


os.chdir(tempfile.mkdtemp())
code = lambda text: " ".join("%X" % ord(c) for c in text)
open("rules.tsv", "w").write("".join(f"{code(a)}\t{code(b)}\n" for a, b in rules.items()))
open("corpus.txt", "w").write("\n".join(corpus * 20) + "\n")
open("lines.txt", "w").write("\n".join(lines) + "\n")
subprocess.run(
    "spm_train --input=corpus.txt --model_prefix=tiny --model_type=unigram --vocab_size=330 "
    "--hard_vocab_limit=false --character_coverage=1 --normalization_rule_tsv=rules.tsv".split(),
    check=True,
)
pieces, charsmap = [], b""
for number, value in fields(open("tiny.model", "rb").read()):
    if number == 1:
        piece = dict(fields(value))
        pieces.append([piece[1].decode(), piece.get(2, 0.0)])
    if number == 3:
        charsmap = dict(fields(value))[2]
# As XLM-RoBERTa's: its special tokens, then SentencePiece's pieces but for its own three.
specials = ["<s>", "<pad>", "</s>", "<unk>"]
vocab = [[s, 0.0] for s in specials] + pieces[3:] + [["<mask>", 0.0]]
no = ["single_word", "rstrip", "normalized"]
special = lambda name: {"SpecialToken": {"id": name, "type_id": 0}}
tokenizer = {
    "version": "1.0",
    "added_tokens": [
        {"id": i, "content": t, "special": True, "lstrip": t == "<mask>"} | dict.fromkeys(no, False)
        for i, (t, _) in enumerate(vocab)
        if t in specials + ["<mask>"]
    ],
    "normalizer": {
        "type": "Precompiled",
        "precompiled_charsmap": base64.b64encode(charsmap).decode(),
    },
    "pre_tokenizer": {
        "type": "Sequence",
        "pretokenizers": [
            {"type": "WhitespaceSplit"},
            {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True},
        ],
    },
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [special("<s>"), {"Sequence": {"id": "A", "type_id": 0}}, special("</s>")],
        "pair": [],
        "special_tokens": {
            s: {"id": s, "ids": [i], "tokens": [s]} for i, s in enumerate(specials)
        },
    },
    "model": {"type": "Unigram", "unk_id": 3, "vocab": vocab},
}
encode = ["spm_encode", "--model=tiny.model", "--output_format=id", "lines.txt"]
ids = subprocess.run(encode, check=True, capture_output=True, text=True).stdout.splitlines()
known = [
    {"text": text, "ids": [0] + [3 if i == "0" else int(i) + 1 for i in row.split()] + [2]}
    for text, row in zip(lines, ids)
]
one_a_line = lambda rows: "[\n" + ",\n".join(json.dumps(r, ensure_ascii=False) for r in rows) + "\n]"
tokenizer["model"]["vocab"] = 0
rest = json.dumps(tokenizer, ensure_ascii=False)
rest = rest.replace('"vocab": 0', '"vocab": ' + one_a_line(vocab))
open(os.path.join(out, "unigram-tokenizer.json"), "w").write(rest + "\n")
open(os.path.join(out, "unigram-tokens.json"), "w").write(one_a_line(known) + "\n")
