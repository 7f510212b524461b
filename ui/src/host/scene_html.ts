// HTML as Rust makes it, for the scenes: every hook that the window styles or answers; and what
// else a scene shows.

import type { Citation } from "./protocol";

export const thinkingPieces = [
  "<p>If the two were separate commits, a crash between them would either show the text twice or lose the block's order. So the question is what a reader sees at each instant…</p>",
  "<p>The recovery path reads the journal first, then the log. It has no rule for a block that is in both.</p>",
];

export const citations: Citation[] = [
  {
    url: "https://sqlite.org/wal.html",
    title: "Write-Ahead Logging",
    citedText:
      "A single transaction is atomic: after a crash either all of its changes are there or none is.",
    raw: {},
  },
  { title: "Notes on recovery", citedText: "Readers never see a half-written page.", raw: {} },
];

export const beforeTool = [
  '<p>Because a reader must never see both, and never neither. The block row and the removal of its chunks commit together<button type="button" class="cite" data-cite="1">1</button>, so after a crash either the journal holds the text or the log does<button type="button" class="cite" data-cite="2">2</button>:</p>',
  `<figure class="code"><figcaption><span>rust</span><button type="button" data-act="wrap">Wrap</button><button type="button" data-act="copy">Copy</button></figcaption><pre><code><span class="hl-storage">let</span> <span class="hl-storage hl-modifier">mut</span> tx = pool.<span class="hl-support hl-function">begin</span>().<span class="hl-keyword">await</span>?;
log.<span class="hl-entity hl-name hl-function">append</span>(&amp;<span class="hl-storage hl-modifier">mut</span> tx, &amp;block, <span class="hl-constant hl-numeric">42</span>, <span class="hl-string">"block"</span>).<span class="hl-keyword">await</span>?;   <span class="hl-comment">// sequence number is taken here, inside the insert</span>
journal.<span class="hl-entity hl-name hl-function">clear</span>(&amp;<span class="hl-storage hl-modifier">mut</span> tx, block.id).<span class="hl-keyword">await</span>?;
</code></pre></figure>`,
];

export const afterTool = [
  "<h2>What a crash leaves</h2>",
  '<p>There are three instants, and <code>recover</code> needs a rule for one. See <a href="https://sqlite.org/atomiccommit.html">how SQLite commits</a>.</p>',
  '<div class="table"><table><thead><tr><th>Crash</th><th>Journal</th><th>Log</th><th align="right">Words lost</th></tr></thead><tbody><tr><td>before the commit</td><td>whole</td><td>none</td><td align="right">0</td></tr><tr><td>after the commit</td><td>none</td><td>whole</td><td align="right">0</td></tr></tbody></table></div>',
  "<ul><li>The journal is replaced, not appended to.</li><li>A reader holds <strong>one</strong> of the two:<ul><li>the chunks so far,</li><li>or the finished block.</li></ul></li></ul>",
  "<ol><li>Open the transaction.</li><li>Append the block.</li><li>Clear its chunks.</li></ol>",
  "<p>The chance that both writes are torn is <math><msup><mi>p</mi><mn>2</mn></msup></math>, and over <math><mi>n</mi></math> blocks:</p>",
  '<p><math display="block"><mrow><mi>P</mi><mo>=</mo><mn>1</mn><mo>−</mo><msup><mrow><mo>(</mo><mn>1</mn><mo>−</mo><msup><mi>p</mi><mn>2</mn></msup><mo>)</mo></mrow><mi>n</mi></msup></mrow></math></p>',
  "<blockquote><p>Saved before shown.</p></blockquote>",
  '<p><a class="image" href="https://example.org/wal.png">a drawing of the log</a></p>',
  "<p>Recovery then needs no rule for duplicates.</p>",
];

/** A wall in a stream, as base64 of a PNG. */
export const drawing =
  "iVBORw0KGgoAAAANSUhEUgAAADAAAAAgCAIAAADbtmxLAAAARklEQVR42u3OwQ0AEQAAQR34C11eE+pUgWjATwMeR0yy782E1sdRBSAgIKD7QSWnFdCLoPjVzYCAgICAbgLt34CAgID+Bk06QZ7+uhiFaAAAAABJRU5ErkJggg==";

export const todoLines = [
  "Read the plan",
  "☐ Read store/journal.rs\n☐ Read store/log.rs\n☐ Port the old test\n☐ Write the new one",
  "☑ Read store/journal.rs\n☑ Read store/log.rs\n☒ Port the old test\n◐ Write the new one",
].join("\n");
