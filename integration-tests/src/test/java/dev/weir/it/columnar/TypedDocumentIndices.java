package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.RestClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;

/** Indices of documents with fields of every type. */
final class TypedDocumentIndices {
  private TypedDocumentIndices() {}

  /**
   * Deletes an index and creates it again.
   *
   * @param mapping a resource with the body of the request
   * @param documents a resource with one document per line
   * @return the paths of its mapping at which an object is a single value
   */
  static Set<String> load(RestClient rest, String index, String mapping, String documents)
      throws IOException {
    rest.send("DELETE", "/" + index + "?ignore_unavailable=true").orThrow();
    String settings = resource(mapping);
    rest.send("PUT", "/" + index, settings).orThrow();
    StringBuilder bulk = new StringBuilder();
    for (String document : resource(documents).split("\n")) {
      String number = String.valueOf(ExpectedRows.json(document).get("number"));
      String routing = document.contains("\"relation\"") ? ",\"routing\":\"r\"" : "";
      bulk.append("{\"index\":{\"_id\":\"" + number + "\"" + routing + "}}\n");
      bulk.append(document).append('\n');
    }
    String answer =
        rest.bulk(
                "/" + index + "/_bulk?refresh=true",
                bulk.toString().getBytes(StandardCharsets.UTF_8))
            .orThrow()
            .body();
    assertThat(answer).contains("\"errors\":false");
    return ExpectedRows.completeFields(
        ExpectedRows.map(
            ExpectedRows.map(ExpectedRows.json(settings).get("mappings")).get("properties")));
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = TypedDocumentIndices.class.getResourceAsStream("/columnar/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
