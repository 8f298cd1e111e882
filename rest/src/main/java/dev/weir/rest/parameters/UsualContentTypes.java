package dev.weir.rest.parameters;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.rest.RestRequest;

/** The content types that most clients send, with what OpenSearch parses from them. */
public final class UsualContentTypes {
  private static final Map<String, MediaType> PARSED =
      parse(
          "application/json",
          "application/json; charset=utf-8",
          "application/json;charset=utf-8",
          "application/json; charset=UTF-8",
          "application/json;charset=UTF-8",
          "application/x-ndjson",
          "application/x-ndjson; charset=utf-8");

  private UsualContentTypes() {}

  private static Map<String, MediaType> parse(String... contentTypes) {
    Map<String, MediaType> parsed = new HashMap<>();
    for (String type : contentTypes) {
      parsed.put(type, RestRequest.parseContentType(List.of(type)));
    }
    return Map.copyOf(parsed);
  }

  /**
   * Returns what OpenSearch parses from a request's content types; null if that has to be parsed.
   */
  public static @Nullable MediaType find(List<String> contentTypes) {
    return contentTypes.size() == 1 ? PARSED.get(contentTypes.getFirst()) : null;
  }
}
