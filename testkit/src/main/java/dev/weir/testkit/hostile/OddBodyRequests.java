package dev.weir.testkit.hostile;

import static dev.weir.testkit.hostile.HostileRequest.INDEX;
import static dev.weir.testkit.hostile.HostileRequest.fixed;
import static dev.weir.testkit.hostile.HostileRequest.json;
import static dev.weir.testkit.hostile.HostileRequest.lines;
import static dev.weir.testkit.hostile.HostileRequest.repeated;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntFunction;

/** Bodies that are not what their content type says, or barely are. */
final class OddBodyRequests {
  private static final String SEARCH = "/" + INDEX + "/_search";
  private static final String BULK = "/" + INDEX + "/_bulk";

  private OddBodyRequests() {}

  static List<HostileRequest> all() {
    return List.of(
        json(
            "invalid UTF-8",
            SEARCH,
            bytes("{\"query\":{\"match\":{\"t\":\"", "\u00c3(\u00ff", "\"}}}")),
        json("an unpaired surrogate", SEARCH, fixed("{\"query\":{\"match\":{\"t\":\"\\ud800\"}}}")),
        json("NUL characters", SEARCH, repeated("{\"query\":", "\u0000", "}")),
        json("a byte order mark", SEARCH, fixed("\ufeff{\"size\":1}")),
        json("white space", SEARCH, repeated("{", " \n\t", "}")),
        json("a long string", SEARCH, repeated("{\"query\":{\"match\":{\"t\":\"", "x", "\"}}}")),
        json("a long key", SEARCH, repeated("{\"", "k", "\":1}")),
        json("a long number", SEARCH, repeated("{\"size\":", "9", "}")),
        json("a huge exponent", SEARCH, fixed("{\"min_score\":1e999999999}")),
        json("a size beyond an int", SEARCH, fixed("{\"size\":99999999999999999999}")),
        json("a negative size", SEARCH, fixed("{\"size\":-7}")),
        json("not a number", SEARCH, fixed("{\"min_score\":NaN}")),
        json(
            "duplicate keys", SEARCH, repeated("{", i -> "\"query\":{\"match_all\":{}}", ",", "}")),
        json("two bodies", SEARCH, fixed("{\"size\":1}{\"size\":2}")),
        json("a truncated body", SEARCH, fixed("{\"query\":{\"match_all\":{}")),
        json("text after the body", SEARCH, fixed("{\"size\":1} nonsense")),
        json("an array", SEARCH, repeated("[", i -> "{}", ",", "]")),
        lines("bulk without its last line feed", BULK, fixed("{\"delete\":{\"_id\":\"none\"}}")),
        lines(
            "bulk of carriage returns",
            BULK,
            repeated("", "{\"delete\":{\"_id\":\"none\"}}\r\n", "")),
        lines("bulk of blank lines", BULK, repeated("", "\n", "")),
        lines(
            "bulk of invalid UTF-8",
            BULK,
            bytes("{\"index\":{\"_id\":\"odd\"}}\n{\"t\":\"", "\u00ff\u00fe", "\"}\n")),
        lines("bulk of unknown actions", BULK, repeated("", "{\"destroy\":{}}\n", "")),
        lines(
            "bulk of duplicate keys",
            BULK,
            repeated("", "{\"delete\":{\"_id\":\"none\",\"_id\":\"none\"}}\n", "")),
        new HostileRequest(
            "YAML of aliases",
            "POST",
            SEARCH,
            "Content-Type: application/yaml\r\n",
            repeated(
                "a0: &a0 [x, x]\n",
                i -> "a" + (i + 1) + ": &a" + (i + 1) + " [*a" + i + ", *a" + i + "]",
                "\n",
                "\n")),
        new HostileRequest(
            "CBOR of nested arrays",
            "POST",
            SEARCH,
            "Content-Type: application/cbor\r\n",
            bytes("\u00bf", "\u009f", "")),
        new HostileRequest(
            "CBOR that promises much",
            "POST",
            SEARCH,
            "Content-Type: application/cbor\r\n",
            bytes("\u00a1z\u007f\u00ff\u00ff\u00f0", "a", "")),
        new HostileRequest(
            "SMILE of nested arrays",
            "POST",
            SEARCH,
            "Content-Type: application/smile\r\n",
            bytes(":)\n\u0003", "\u00f8", "")),
        new HostileRequest(
            "an unknown content type", "POST", SEARCH, "Content-Type: text/;\r\n", fixed("{}")));
  }

  /** Returns bodies of the bytes of Latin-1 characters. */
  private static IntFunction<byte[]> bytes(String before, String part, String after) {
    return size -> {
      String whole =
          before
              + part.repeat(Math.max(1, (size - before.length() - after.length()) / part.length()))
              + after;
      return whole.getBytes(StandardCharsets.ISO_8859_1);
    };
  }

  static byte[] join(String before, byte[] inner, String after) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(before.getBytes(StandardCharsets.UTF_8));
    all.writeBytes(inner);
    all.writeBytes(after.getBytes(StandardCharsets.UTF_8));
    return all.toByteArray();
  }
}
