package dev.weir.testkit.compare;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Scenarios as text.
 *
 * <pre>
 * # a comment, before the first request of a scenario
 * == documents by id
 * -- both
 * PUT /{run}-docs/_doc/1?refresh=true
 *
 * {"title": "one"}
 * -- ignore=_seq_no
 * GET /{run}-docs/_doc/1
 * -- capture=cursor:_scroll_id
 * POST /{run}-docs/_search?scroll=1m
 * Content-Type: application/json
 *
 * {"size": 1}
 * -- raw
 * GET / HTTP/9.9\r\n\r\n
 * </pre>
 *
 * <p>{@code ==} begins a scenario and names it; {@code --} begins a request; lines of comment
 * ({@code #}) may follow it. A request is a line with method and target, its header lines, and,
 * after an empty line, its body, which ends before the next {@code --} or {@code ==}; line ends at
 * its end are dropped, but an ndjson body ({@code _bulk}, {@code _msearch} without another content
 * type) ends with one. A body without a content type is sent as JSON, or ndjson.
 *
 * <p>{@code {run}} is a text that is new for each side and run and of one length: with it in the
 * names of indices both sides can write. What is captured from answers is filled in in the same
 * way. Neither is compared.
 *
 * <p>After {@code --} may come: {@code once} (only to the reference, not compared), {@code both}
 * (to both, not compared), {@code ignore=PATH} and {@code unordered=PATH} (see {@link
 * PathPattern}), {@code ignore-header=NAME}, {@code capture=NAME:PATH}, {@code bare} (without
 * X-Opaque-Id), {@code as=yaml|cbor|smile} (a JSON body is sent in that format), {@code raw} (the
 * lines are the bytes of the request: joined without line ends, with {@code \r}, {@code \n}, {@code
 * \t}, {@code \\} and {@code \xNN}).
 */
public final class Corpus {
  private Corpus() {}

  /** The scenarios of a file. */
  public static List<Scenario> read(Path file) {
    try {
      return parse(file.getFileName().toString(), Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the corpus " + file, e);
    }
  }

  /** The scenarios of a resource beside a class. */
  public static List<Scenario> resource(Class<?> beside, String name) {
    try (InputStream in = beside.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException("got no resource " + name + " beside " + beside);
      }
      return parse(name, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the corpus " + name, e);
    }
  }

  /** The scenarios of a text. */
  public static List<Scenario> parse(String name, String text) {
    return new CorpusParser(name, text).scenarios();
  }
}
