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
 * == another scenario
 * ++ given.requests products
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
 * <p>{@code ++} puts in the requests of a scenario of another file beside this one: what several
 * scenarios need.
 *
 * <p>{@code {run}} is a text that is new for each side and run and of one length: with it in the
 * names of indices both sides can write. What is captured from answers is filled in in the same
 * way. Neither is compared.
 *
 * <p>After {@code --} may come: {@code once} (only to the reference, not compared), {@code both}
 * (to both, not compared), {@code ignore=PATH} and {@code unordered=PATH} (see {@link
 * PathPattern}), {@code ignore-header=NAME}, {@code capture=NAME:PATH}, {@code bare} (without
 * X-Opaque-Id), {@code escaped} (the lines of the body are joined without line ends and hold
 * escapes as below), {@code as=yaml|cbor|smile} (a JSON body is sent in that format), {@code raw}
 * (the lines are the bytes of the request: joined without line ends, with {@code \r}, {@code \n},
 * {@code \t}, {@code \\} and {@code \xNN}).
 */
public final class CorpusReader {
  private CorpusReader() {}

  /** The scenarios of a file. */
  public static List<ComparisonScenario> readFile(Path file) {
    return new CorpusParser(
            file.getFileName().toString(),
            readText(file),
            other -> readText(file.resolveSibling(other)))
        .scenarios();
  }

  private static String readText(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the corpus " + file, e);
    }
  }

  /** The scenarios of a resource beside a class. */
  public static List<ComparisonScenario> readResource(Class<?> beside, String name) {
    return new CorpusParser(name, readText(beside, name), other -> readText(beside, other))
        .scenarios();
  }

  private static String readText(Class<?> beside, String name) {
    try (InputStream in = beside.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException("got no resource " + name + " beside " + beside);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the corpus " + name, e);
    }
  }

  /** The scenarios of a text, which has no files beside it. */
  public static List<ComparisonScenario> parse(String name, String text) {
    return new CorpusParser(
            name,
            text,
            other -> {
              throw new IllegalArgumentException(
                  name + ": got ++ " + other + " (expected: none in a text that is no file)");
            })
        .scenarios();
  }
}
