package dev.weir.rest.parameters;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.rest.RestRequest;

/**
 * The parameters by which a response is written as JSON. Parts of such a response may be JSON that
 * was written earlier. Other content types need the numbers themselves: the binary ones tell single
 * from double precision, and YAML has infinity.
 */
public final class JsonContentParameters {
  private static final List<String> OTHER_TYPES = List.of("yaml", "cbor", "smile");

  private JsonContentParameters() {}

  /** Returns the parameters of a request; null if its response may have another content type. */
  public static @Nullable Map<String, String> of(RestRequest request) {
    MediaType body = request.getMediaType();
    boolean other =
        isOther(request.params().get("format"))
            || isOther(request.header("Accept"))
            || (body != null && isOther(body.mediaTypeWithoutParameters()));
    if (other) {
      return null;
    }
    Map<String, String> params = request.params();
    return params.isEmpty() ? Map.of() : Map.copyOf(params);
  }

  private static boolean isOther(@Nullable String type) {
    if (type == null) {
      return false;
    }
    String lower = type.toLowerCase(Locale.ROOT);
    for (String other : OTHER_TYPES) {
      if (lower.contains(other)) {
        return true;
      }
    }
    return false;
  }
}
