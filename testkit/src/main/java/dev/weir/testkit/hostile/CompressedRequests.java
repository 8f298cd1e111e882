package dev.weir.testkit.hostile;

import static dev.weir.testkit.hostile.HostileRequest.INDEX;
import static dev.weir.testkit.hostile.HostileRequest.JSON;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Compressed bodies: some have a thousand times their length when decompressed. */
final class CompressedRequests {
  private static final String GZIP = JSON + "Content-Encoding: gzip\r\n";
  private static final int EXPANSION = 1000;

  private CompressedRequests() {}

  static List<HostileRequest> all() {
    return List.of(
        search("a gzip bomb of white space", GZIP, size -> gzip(spaces(size))),
        search(
            "a truncated gzip body",
            GZIP,
            size -> {
              byte[] whole = gzip(spaces(size));
              return Arrays.copyOf(whole, whole.length / 2);
            }),
        search("a gzip body that is none", GZIP, HostileRequest.repeated("", "{\"size\":1}", "")),
        search("gzip within gzip", GZIP, size -> gzip(gzip(spaces(size)))),
        search(
            "an unknown encoding of the body",
            JSON + "Content-Encoding: nonsense\r\n",
            HostileRequest.fixed("{\"size\":1}")));
  }

  private static HostileRequest search(String name, String headers, IntFunction<byte[]> body) {
    return new HostileRequest(name, "POST", "/" + INDEX + "/_search", headers, body);
  }

  /** Returns a search with so much white space that its compressed form has about this size. */
  private static byte[] spaces(int size) {
    byte[] body = new byte[(int) Math.min((long) size * EXPANSION, 200_000_000)];
    Arrays.fill(body, (byte) ' ');
    byte[] search = "{\"size\":0}".getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(search, 0, body, body.length - search.length, search.length);
    return body;
  }

  private static byte[] gzip(byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream zip =
        new GZIPOutputStream(out) {
          {
            def.setLevel(Deflater.BEST_SPEED);
          }
        }) {
      zip.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }
}
