package dev.weir.testkit.mutation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A request that the mutator starts from, or makes.
 *
 * @param method HTTP method
 * @param path with parameters; {@code $index} stands for the index of the side
 * @param body lines; may be empty
 */
record SeedRequest(String method, String path, String body) {
  private static final String FILE = "requests.txt";
  private static final String INDEX = "$index";
  private static final Set<String> READS = Set.of("_search", "_count", "_mget", "_msearch");

  /** Returns the requests of the file. */
  static List<SeedRequest> all() {
    List<SeedRequest> requests = new ArrayList<>();
    for (String block : read().split("\n\n")) {
      List<String> lines =
          block.lines().filter(line -> !line.isEmpty() && !line.startsWith("#")).toList();
      if (!lines.isEmpty()) {
        String[] first = lines.getFirst().split(" ", 2);
        requests.add(new SeedRequest(first[0], first[1], body(first[1], lines)));
      }
    }
    return List.copyOf(requests);
  }

  /** Lines of a bulk or multi search stay lines; a body over several lines becomes one. */
  private static String body(String path, List<String> lines) {
    List<String> rest = lines.subList(1, lines.size());
    boolean isLines = path.contains("_bulk") || path.contains("_msearch");
    return isLines ? String.join("\n", rest) + "\n" : String.join("", rest);
  }

  private static String read() {
    try (InputStream in = SeedRequest.class.getResourceAsStream(FILE)) {
      return new String(Objects.requireNonNull(in, FILE).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether the request changes nothing, as far as its method and path say. */
  boolean isRead() {
    String name = path.substring(0, (path + "?").indexOf('?'));
    return method.equals("GET")
        || method.equals("HEAD")
        || READS.contains(name.substring(name.lastIndexOf('/') + 1));
  }

  boolean isLines() {
    return path.contains("_bulk") || path.contains("_msearch");
  }

  /** Returns the head and the body on the wire, for the side with this index. */
  byte[][] bytes(String index) {
    byte[] content = body.replace(INDEX, index).getBytes(StandardCharsets.UTF_8);
    String type =
        content.length == 0
            ? ""
            : "Content-Type: application/" + (isLines() ? "x-ndjson" : "json") + "\r\n";
    String head =
        method
            + " "
            + path.replace(INDEX, index)
            + " HTTP/1.1\r\nHost: localhost\r\n"
            + type
            + "Content-Length: "
            + content.length
            + "\r\n\r\n";
    return new byte[][] {head.getBytes(StandardCharsets.UTF_8), content};
  }

  @Override
  public String toString() {
    return method + " " + path + " " + body.replace("\n", "\\n");
  }
}
