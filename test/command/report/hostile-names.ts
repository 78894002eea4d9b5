/** Names that try to be something else, or are unlike those that one tries first. */
export const hostileNames: readonly string[] = [
  "<script>console.error('ran')</script>",
  '"><img src=x onerror=console.error(1)>',
  "</title></style><script>console.error(2)</script>",
  "' onmouseover='console.error(3)",
  "&lt;b&gt; &amp; &#39;",
  "<!-- -->]]>",
  "{{7*7}} `ls`",
  "=1+1",
  "שלום עולם",
  "مرحبا \u202egpj.exe",
  "👩‍👩‍👧‍👦 Zoë Ǆordžević",
  "日本語の名前",
  "x".repeat(200),
  "a b  c",
];
