package dev.weir.bluegreen.shadow;

import dev.weir.model.BufferedResponse;
import dev.weir.model.RequestContext;
import java.util.List;
import java.util.Map;

/** Detects responses in a format of the gateway, which a node cannot produce. */
final class GatewayFormatDetector {
  private static final String COLUMNS = "columnar";
  private static final List<String> FORMATS = List.of("vnd.weir", "text/csv", "arrow");

  private GatewayFormatDetector() {}

  /** Whether a response is columnar or trimmed, or may be. */
  static boolean isGatewayFormat(RequestCopy request, BufferedResponse reply) {
    return request.uri().contains(COLUMNS)
        || request.headers().stream().anyMatch(GatewayFormatDetector::requestsGatewayFormat)
        || reply.headers().stream()
            .anyMatch(header -> header.getKey().equalsIgnoreCase(RequestContext.TRIMMED_HEADER));
  }

  private static boolean requestsGatewayFormat(Map.Entry<String, String> header) {
    return header.getKey().equalsIgnoreCase("accept")
        && FORMATS.stream().anyMatch(header.getValue()::contains);
  }
}
