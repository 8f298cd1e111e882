package dev.weir.gateway.stats;

import dev.weir.http.error.ErrorBody;
import dev.weir.observe.admin.AdminResponse;
import java.nio.charset.StandardCharsets;

/** Errors of admin pages, in the format of OpenSearch. */
public final class AdminErrors {
  private AdminErrors() {}

  public static AdminResponse json(int status, String type, String reason) {
    ErrorBody body = new ErrorBody(status, type, reason);
    return AdminResponse.json(status, StandardCharsets.UTF_8.decode(body.bytes(true)).toString());
  }
}
