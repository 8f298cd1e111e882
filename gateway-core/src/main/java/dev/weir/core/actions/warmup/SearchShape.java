package dev.weir.core.actions.warmup;

import java.io.IOException;
import java.util.Set;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentParser;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * Tells kinds of searches apart. Searches of one kind have the same structure and read the same
 * fields; only the values that they look for differ.
 */
final class SearchShape {
  /** Keys whose values are names of fields. */
  private static final Set<String> NAMING_KEYS =
      Set.of("field", "fields", "path", "docvalue_fields");

  private SearchShape() {}

  /**
   * Returns the number of a search's kind; searches of different kinds hardly ever have the same.
   *
   * @throws IOException if the search can't be written as JSON
   */
  static long of(SearchSourceBuilder source) throws IOException {
    long hash = 17;
    String name = "";
    try (XContentParser parser =
        JsonXContent.jsonXContent.createParser(
            NamedXContentRegistry.EMPTY,
            DeprecationHandler.IGNORE_DEPRECATIONS,
            source.toString())) {
      for (XContentParser.Token token = parser.nextToken();
          token != null;
          token = parser.nextToken()) {
        if (token == XContentParser.Token.FIELD_NAME) {
          name = parser.currentName();
          hash = mix(hash, name.hashCode());
        } else if (token.isValue()) {
          hash = mix(hash, NAMING_KEYS.contains(name) ? parser.text().hashCode() : 1);
        } else {
          hash = mix(hash, token.ordinal() + 2L);
        }
      }
    }
    return hash;
  }

  private static long mix(long hash, long next) {
    long mixed = (hash ^ next) * 0x9E3779B97F4A7C15L;
    return mixed ^ (mixed >>> 29);
  }
}
