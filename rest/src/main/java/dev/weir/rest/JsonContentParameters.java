package dev.weir.rest;

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
final class JsonContentParameters {
  private static final List<String> OTHER_TYPES = List.of("yaml", "cbor", "smile");

  private JsonContentParameters() {}

  /** Returns the parameters of a request; null if its response may have another content type. */
  static @Nullable Map<String, String> of(RestRequest request) {
    MediaType body = request.getMediaType();
    boolean other =
        isOther(request.params().get("format"))
            || isOther(request.header("Accept"))
            || (body != null && isOther(body.mediaTypeWithoutParameters()));
    return other ? null : Map.copyOf(request.params());
  }

  private static boolean isOther(@Nullable String type) {
    String lower = type == null ? "" : type.toLowerCase(Locale.ROOT);
    return OTHER_TYPES.stream().anyMatch(lower::contains);
  }
}
