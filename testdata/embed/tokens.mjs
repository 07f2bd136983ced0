// Writes tokens.json: varied lines and the token ids that a second tokeniser, @huggingface/tokenizers, gives them with the vocabularies
// in the folder of shared files. See README.md for how to run it.
import fs from 'node:fs';
import path from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';

const shared = process.argv[2], out = process.argv[3];
const read = (...p) => JSON.parse(fs.readFileSync(path.join(shared, 'models', ...p), 'utf8'));

// One line per idea; all of them were made up for this file.
const written = (String.raw`
The gate stays shut while a critical question is open.
how do I rotate the signing keys?
Refunds need an idempotency key; three of our seven call sites send none!
"Quoted", 'single', “curly”, ‘curly single’, «guillemets», „low“, ‹angle›
A dash - a hyphen-ated word – an en dash — an em dash ― a bar … an ellipsis
don't can't won't it's we'll they've I'd rock'n'roll o'clock
50% of $3,000.00 is £1,500.50 or €1.500,50; ¥100, ₹20, ₿0.001
2026-11-21T03:23:04.123Z 12:30 1/2 ½ ⅓ x² y³ 10⁻⁶ 6.02e+23 0xDEADBEEF
capturePane(sessionID, *tmux.Options) ([]byte, error)
func (s *Store) Get(ctx context.Context, key string) (v []byte, ok bool)
scripts/build.sh:42: --dry-run --max-count=10 -xvf archive.tar.gz
snake_case_identifier camelCaseIdentifier SCREAMING_SNAKE kebab-case-name PascalCase
std::vector<std::unique_ptr<Foo>>& operator->() const noexcept;
SELECT id, name FROM capsules WHERE body MATCH 'foo OR bar' ORDER BY rank LIMIT 20;
{"v":1,"hits":[{"id":"k12","score":0.75,"tags":["a","b"]}]}
<div class="row" id='x'>&amp; &lt;b&gt; &#39;</div>
https://example.test/a/b?c=d&e=f%20g#frag user@example.test ~/notes/2026.md C:\Users\me\file.txt
git rebase -i HEAD~3 && git push --force-with-lease || echo "failed: $?"
x = a[i++] ? b->c : *d; // TODO(me): fix | ^ ~ \ @ # backtick
C++ C# F# .NET node.js Objective-C 3D 4K 802.11ax IPv6 ::1 127.0.0.1
pneumonoultramicroscopicsilicovolcanoconiosis antidisestablishmentarianism floccinaucinihilipilification
Donaudampfschifffahrtsgesellschaftskapitän Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz
naïve café résumé Zoë coöperate São Paulo Ångström Øresund Łódź Đà Nẵng
NAÏVE CAFÉ RÉSUMÉ ZOË SÃO PAULO ÅNGSTRÖM ØRESUND ŁÓDŹ
Größe Straße STRASSE ẞ ß weiß Übermut Ärger Öl
İstanbul ISPARTA ığdır İI ıi
Ærøskøbing þorn ðæt œuvre ĳs ŋ ſt ﬁ ﬂ ﬀ
Việt Nam: Tiếng Việt có dấu, ễ ữ ỡ ậ Ẫ
ελληνικά γράμματα και τόνοι: ά έ ή ί ό ύ ώ ϊ ΐ Άθήνα Ώρα
Привет, мир! Съешь же ещё этих мягких булок. Ёлка й Й
українська ґ є і ї Ґ Є І Ї беларуская ў Ў српски ђ ћ љ њ џ
שלום עולם עם נִקּוּד וְטַעֲמִים
مرحبا بالعالم مع تَشْكِيل، و؟ علامات؛
हिन्दी में एक वाक्य। क़ ज़ फ़ ड़ ढ़
বাংলা ভাষা ড় ঢ় য়
ไทยไม่มีช่องว่างระหว่างคำ
தமிழ் மொழி கொ கோ கௌ
ქართული ენა Ⴀ ᲐᲑᲒ
հայերեն լեզու և ՀԱՅ
한국어 문장입니다. 가각갂 힣 ᄒᆞᆫ
日本語の文章、カタカナとひらがな。「引用」ガギグ がぎぐ ｶﾞ
中文句子，没有空格。北京大学《书名》！？
漢字kanji混合mixed文字123テスト
繁體中文與简体中文 龍龙 豈 更 車
a中b文c 中 文 1中2
𠀀 a 𪛖 b 𫝀 c
😀 😃 🎉 👍🏽 👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 ❤️ ☃ ✓ ✗ ★
great work 🎉🎉 ship it 🚀!
ok👍fine ✅done ❌failed ⚠️warn
→ ← ↑ ↓ ⇒ ∀x∈ℝ: x≤y ∧ y≠z ≈ ∞ ± × ÷ √2 ∑ ∫ ∂ µ Ω Å K
≮ ≯ ≠ ≰ ∄ ⊄ ; · ` + '`´ ¨ ^ ¯ ¸ ˇ ˘' + String.raw`
① ② Ⅳ ⅳ Ⓐ ⓐ ㊀ ㍿ ™ ® © ℡ № ℃ ªº
ｆｕｌｌｗｉｄｔｈ ＦＵＬＬ １２３ ！？（）：；
𝐛𝐨𝐥𝐝 𝑖𝑡𝑎𝑙𝑖𝑐 𝒮𝒸𝓇𝒾𝓅𝓉 𝔽𝕣𝕒𝕜 𝟙𝟚𝟛 𐐀𐐨 𝄞
[CLS] in text [SEP] and [MASK] or [UNK] [PAD] done
[cls] [Sep] [MASK [ MASK] [[SEP]] x[SEP]y [CLS][CLS]
## ##ing ##s #tag #1 # ing
!!! ??? ... --- === *** ,,, ;;; ((())) [[[]]] {{{}}}
~!@#$%^&*()_+-={}[]|\:";'<>?,./
¡Hola! ¿Qué tal? ñandú pingüino
§ 3 Abs. 2 ¶ † ‡ • ‣ ‰ ′ ″ ‽ ⁂ ⸮ 〈 〉 〜 ・ ー ゠ ، ؛ ؟ । ॥ ៖ ᠀ 。
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
0 00 000 0000 00000 000000 1234567890123456789012345678901234567890
the The THE tHe   the,the.the;the
unaffable unbelievable unhappiness reembedding tokenizers untokenisable
`).split('\n').filter((l) => l !== '');

// What cannot be typed into a list.
const odd = [
  '', ' ', '   leading and trailing   ', 'tab\tnew\nline\rreturn\r\nboth', 'vertical\vtab form\ffeed nul\u0000bell\u0007del\u007f',
  'no\u00a0break narrow\u202fno em\u2003space hair\u200aspace ideographic\u3000space ogham\u1680space line\u2028sep para\u2029sep next\u0085line',
  'zero\u200bwidth join\u200der non\u200cjoiner soft\u00adhyphen bom\ufeffin word\u2060joiner', '\u202eright to left\u202c \u2066isolate\u2069',
  'private\ue000use \u{f0000}plane \u{e0041}tag', 'replacement \ufffd character', 'e\u0301 e\u0301\u0301 a\u0323\u0302 a\u0302\u0323 n\u0303 \u0301alone',
  'z\u0335a\u0336l\u0337g\u0338o\u0322 \u035c\u035d', 'x'.repeat(99), 'x'.repeat(100), 'x'.repeat(101), 'é'.repeat(100), 'é'.repeat(101), 'e\u0301'.repeat(100),
  'word '.repeat(60) + 'end', '語'.repeat(30), '!'.repeat(50), '😀'.repeat(20), 'ab'.repeat(49) + 'zz', 'q'.repeat(200) + ' after', 'ſ K Å ΐ ῢ ᾳ ᾼ', '\u1fef\u0340\u0341\u0374\u037e\u0387',
  'a\u{1f1e9}\u{1f1ea}b', '\u0e33 \u0eb3 \u0f77', '\u3099\u309a か\u3099 は\u309a', '\u{1d15e} \u{1d1bb}', 'ǅ ǆ Ǆ ǈ ǋ', '\u2126\u212a\u212b',
];

// Words strung together by chance, always the same ones.
let state = 12345;
const rnd = (n) => { state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff; return (state >>> 8) % n; };
const words = ('gate board capsule worker lease evidence synthesis refund idempotency key rotate nightly batch retry throttle peak load vector index segment merge seal '
  + 'tokenizer embedding cosine hybrid recall precision query Prüfung Übergabe naïveté façade mañana Αθήνα Москва ключ 検索 知識 索引 한글 검색 مفتاح '
  + 'getUserByID parse_config --verbose ./run.sh v1.2.3 0x1F 99.9% #42 @team e.g. i.e. vs. co-op re-enter 😀 🚀 → ≤ … “x” [UNK]').split(' ');
const joiners = [' ', ' ', ' ', ' ', ' ', ', ', '. ', ' - ', '/', '', '_', '\u00a0', ': ', '\n'];
const generated = [];
for (let i = 0; i < 210; i++) {
  let line = '';
  for (let k = 2 + rnd(12); k > 0; k--) {
    let w = words[rnd(words.length)];
    if (rnd(5) === 0) w = w[0].toUpperCase() + w.slice(1);
    line += w + joiners[rnd(joiners.length)];
  }
  generated.push(line);
}

const minilm = [read('all-MiniLM-L6-v2-reference', 'tokenizer.json'), read('all-MiniLM-L6-v2-reference', 'tokenizer_config.json')];
const potion = [read('potion-base-2M', 'tokenizer.json'), read('potion-base-2M', 'tokenizer_config.json')];
const settings = { minilm, potion };
const lines = [...written, ...odd, ...generated].map((text) => ({ text }));
for (const [name, [file, config]] of Object.entries(settings)) {
  const t = new Tokenizer(file, config);
  for (const line of lines) {
    line[name] = t.encode(line.text).ids;
  }
}
fs.writeFileSync(path.join(out, 'tokens.json'), '[\n' + lines.map((l) => JSON.stringify(l)).join(',\n') + '\n]\n');
console.log(lines.length, 'lines');
