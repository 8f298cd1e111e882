package dev.weir.gateway.stats;

import dev.weir.http.error.ErrorBody;
import dev.weir.model.HttpStatus;
import dev.weir.observe.admin.AdminResponse;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

/** Errors of admin pages, in the format of OpenSearch. */
public final class AdminErrors {
  private AdminErrors() {}

  public static AdminResponse json(int status, String type, String reason) {
    ErrorBody body = new ErrorBody(status, type, reason);
    return AdminResponse.json(status, StandardCharsets.UTF_8.decode(body.bytes(true)).toString());
  }

  /** The error of a page for one cluster, when there is none of this name. */
  public static AdminResponse unknownCluster(String name, Collection<String> known) {
    return json(
        HttpStatus.BAD_REQUEST,
        "illegal_argument_exception",
        "cluster: got [" + name + "] (expected: one of " + String.join(", ", known) + ")");
  }
}
