#!/usr/bin/env python3
"""Put the quotes of quotes.json together from the sources they point into,
print them, and check the set.  No third party's text stands in the set itself.

  python3 make.py            print every quote and check everything
  python3 make.py -q         only check
  python3 make.py -json      print the finished set as JSON (for a program to read)

Exit code 0: everything holds.  1: something does not (each failure is a line
starting with "BAD").  2: a source is absent or has another sha256; its quotes
are left out, the rest is checked.
"""
import hashlib, html, json, os, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
WS = " \t\r\n\f\v"                      # ASCII only: U+00A0 is no white space here
TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.S)


def fold(s):
    return re.sub("[%s]+" % WS, " ", s).strip(WS)


def strip_markdown(s):
    """Drop inline Markdown markup: code ticks, links, inline HTML, entities, emphasis."""
    code = []

    def keep(m):
        code.append(m.group(1))
        return "\x00%d\x00" % (len(code) - 1)

    s = re.sub(r"`([^`]+)`", keep, s)
    s = re.sub(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])", r"\1", s)
    s = html.unescape(TAG.sub("", s))
    s = re.sub(r"\*\*(\S.*?)\*\*", r"\1", s, flags=re.S)
    s = re.sub(r"(?<![\w*])\*(\S[^*]*?)\*(?![\w*])", r"\1", s)
    s = re.sub(r"(?<![\w_])_(\S[^_]*?)_(?![\w_])", r"\1", s)
    return re.sub("\x00(\\d+)\x00", lambda m: code[int(m.group(1))], s)


def normalise(s, fmt, form):
    if form == "exact":
        return s
    if fmt == "html":
        s = html.unescape(TAG.sub("", s))
    elif fmt == "go":
        s = re.sub(r"(?m)^[ \t]*(//[ \t]?|/\*|\*/)", "", s)
    elif fmt == "markdown" and form == "plain":
        s = strip_markdown(s)
    return fold(s)


def build(q, sources):
    """The quote as the worker gives it."""
    if "invented" in q:
        return q["invented"]
    src = sources[q["source"]]
    data, fmt = src["data"], src["format"]
    s = normalise(data[q["from"]:q["to"]].decode(), fmt, q["form"])
    if "join" in q:
        j = q["join"]
        s += " " + normalise(data[j["from"]:j["to"]].decode(), fmt, q["form"])
    b = s.encode()
    for e in sorted(q.get("edits", []), key=lambda e: -e["at"]):
        b = b[:e["at"]] + e["put"].encode() + b[e["at"] + e["cut"]:]
    return b.decode()


# ---- checks -------------------------------------------------------------

def typo(s):
    """One spelling for what differs in typography only."""
    s = s.replace("\u00ad", "").replace("\u00a0", " ")
    for a, b in (("\u201c\u201d\u201e", '"'), ("\u2018\u2019", "'"), ("\u2026", "...")):
        for c in a:
            s = s.replace(c, b)
    s = re.sub("[ ]*[-\u2010\u2011\u2012\u2013\u2014\u2212]+[ ]*", "-", s)
    return fold(s)


def loose(s):
    return typo(s).lower().rstrip(".")


def haystacks(src):
    """The whole source in its normalised forms (block by block, so that markup in one
    paragraph cannot pair with markup in the next)."""
    out = []
    text = src["data"].decode()
    for form in ("text", "plain"):
        if src["format"] == "html":
            t = normalise(text, "html", form)
        else:
            t = " ".join(normalise(b, src["format"], form) for b in re.split(r"\n[ \t]*\n", text))
        if t not in out:
            out.append(fold(t))
    return out


ELLIPSIS = re.compile(r"\s*(?:\[\.\.\.\]|\[\u2026\]|\u2026|\.\.\.)\s*")


def parts_stand(quote, hays):
    """All parts of a quote with omissions, in order, with at most 600 characters left out."""
    parts = [loose(p) for p in ELLIPSIS.split(quote) if p.strip()]
    for h in hays:
        at, ok = 0, True
        for i, p in enumerate(parts):
            k = h.find(p, at)
            if k < 0 or (i and k - at > 600):
                ok = False
                break
            at = k + len(p)
        if ok:
            return True
    return False


def check(q, s, sources, bad):
    src, hays = sources[q["source"]], sources[q["source"]]["hays"]
    n = len(s.split())
    if not 6 <= n <= 60:
        bad.append((q["id"], "%d words" % n))
    lines = src["data"].count(b"\n") + 1
    if not 1 <= q["claimed_line"] <= lines:
        bad.append((q["id"], "claimed_line outside the source"))
    if "invented" not in q:
        if q["line"] != src["data"].count(b"\n", 0, q["from"]) + 1:
            bad.append((q["id"], "line does not fit from"))
    exact = fold(s)
    if q["label"] == "true":
        how = q["how"]
        first, last = q["line"], src["data"].count(b"\n", 0, q["to"]) + 1
        near = first <= q["claimed_line"] <= last
        if near == bool(q.get("elsewhere")):
            bad.append((q["id"], "claimed_line and elsewhere disagree"))
        if how == "verbatim":
            ok = s in src["data"].decode()
        elif how in ("folded", "markup"):
            ok = any(exact in h for h in hays)
        elif how == "typography":
            ok = any(typo(s) in typo(h) for h in hays) and not any(exact in h for h in hays)
        elif how == "case":
            ok = any(loose(s) in h for h in src["loose"]) and not any(exact in h for h in hays)
        elif how == "omission":
            ok = parts_stand(s, src["loose"]) and not any(exact in h for h in hays)
        else:
            ok = False
        if how == "markup" and any(exact in fold(t) for t in [src["data"].decode()]):
            ok = False                       # there must really be markup inside
        if not ok:
            bad.append((q["id"], "does not stand in " + q["source"]))
        if how != "omission" and sum(h.count(loose(s)) for h in src["loose"]) > len(src["loose"]):
            bad.append((q["id"], "stands more than once"))
    else:
        if any(loose(s) in h for h in src["loose"]):
            bad.append((q["id"], "altered, but stands in " + q["source"]))


WANT = {("verbatim", "true"): 30, ("folded", "true"): 12, ("typography", "true"): 8,
        ("omission", "true"): 6, ("case", "true"): 5, ("markup", "true"): 6,
        ("number", "altered"): 8, ("negation", "altered"): 8, ("joined", "altered"): 6,
        ("word", "altered"): 6, ("invented", "altered"): 5}


def load(d=None):
    d = d or json.load(open(os.path.join(HERE, "quotes.json"), encoding="utf-8"))
    roots, sources, missing = {}, {}, []
    for s in d["sources"]:
        if s["root"] not in roots:
            roots[s["root"]] = subprocess.run(["go", "env", s["root"]], capture_output=True,
                                              text=True, check=True).stdout.strip()
        p = os.path.join(roots[s["root"]], s["path"])
        try:
            data = open(p, "rb").read()
        except OSError:
            missing.append("%s: not there" % s["name"])
            continue
        if hashlib.sha256(data).hexdigest() != s["sha256"]:
            missing.append("%s: another sha256" % s["name"])
            continue
        sources[s["name"]] = dict(s, data=data)
    return d, sources, missing


def main():
    d, sources, missing = load()
    bad, count, out = [], {}, []
    for s in sources.values():
        s["hays"] = haystacks(s)
        s["loose"] = [loose(h) for h in s["hays"]]
    for m in missing:
        print("MISSING", m, file=sys.stderr)
    ids = [q["id"] for q in d["quotes"]]
    if len(set(ids)) != len(ids):
        bad.append(("set", "an id stands twice"))
    for q in d["quotes"]:
        count[q["how"], q["label"]] = count.get((q["how"], q["label"]), 0) + 1
        if q["source"] not in sources:
            continue
        s = build(q, sources)
        check(q, s, sources, bad)
        src = sources[q["source"]]
        out.append({"id": q["id"], "root": src["root"], "path": src["path"], "claim": q["claim"],
                    "quote": s, "claimed_line": q["claimed_line"], "label": q["label"],
                    "how": q["how"], "elsewhere": bool(q.get("elsewhere")), "line": q.get("line")})
    if count != WANT:
        bad.append(("set", "counts differ: %r" % count))
    if sum(bool(q.get("elsewhere")) for q in d["quotes"]) != 8:
        bad.append(("set", "not 8 elsewhere"))
    if "-json" in sys.argv:
        json.dump(out, sys.stdout, ensure_ascii=False, indent=1)
        print()
    elif "-q" not in sys.argv:
        for o, q in zip(out, [q for q in d["quotes"] if q["source"] in sources]):
            print("%s %-7s %-10s %s:%d%s\n    quote: %s\n    claim: %s" % (
                o["id"], o["label"], o["how"], q["source"], o["claimed_line"],
                " (elsewhere: %d)" % o["line"] if o["elsewhere"] else "",
                o["quote"].replace("\n", "\\n"), o["claim"]))
    sys.stdout.flush()
    for b in bad:
        print("BAD", *b, file=sys.stderr)
    print("%d sources, %d quotes, %d bad, %d sources missing" %
          (len(sources), len(out), len(bad), len(missing)), file=sys.stderr)
    sys.exit(1 if bad else 2 if missing else 0)


if __name__ == "__main__":
    main()
