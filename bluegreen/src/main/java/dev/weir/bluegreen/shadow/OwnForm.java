package dev.weir.bluegreen.shadow;

import dev.weir.model.HttpReply;
import dev.weir.model.RequestContext;
import java.util.List;
import java.util.Map;

/** Tells answers that no node would give like that, since the gateway gives them a form. */
final class OwnForm {
  private static final String COLUMNS = "columnar";
  private static final List<String> FORMATS = List.of("vnd.weir", "text/csv", "arrow");

  private OwnForm() {}

  /** Whether an answer is by columns, or was trimmed, or may be. */
  static boolean of(KeptRequest request, HttpReply reply) {
    return request.uri().contains(COLUMNS)
        || request.headers().stream().anyMatch(OwnForm::asks)
        || reply.headers().stream()
            .anyMatch(header -> header.getKey().equalsIgnoreCase(RequestContext.TRIMMED));
  }

  private static boolean asks(Map.Entry<String, String> header) {
    return header.getKey().equalsIgnoreCase("accept")
        && FORMATS.stream().anyMatch(header.getValue()::contains);
  }
}
