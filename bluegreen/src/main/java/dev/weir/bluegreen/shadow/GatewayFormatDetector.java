package dev.weir.bluegreen.shadow;

import dev.weir.model.BufferedResponse;
import dev.weir.model.RequestContext;
import java.util.List;
import java.util.Map;

/** Tells answers that no node would give like that, since the gateway gives them a form. */
final class GatewayFormatDetector {
  private static final String COLUMNS = "columnar";
  private static final List<String> FORMATS = List.of("vnd.weir", "text/csv", "arrow");

  private GatewayFormatDetector() {}

  /** Whether an answer is by columns, or was trimmed, or may be. */
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
