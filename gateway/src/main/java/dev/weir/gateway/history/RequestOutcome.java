package dev.weir.gateway.history;

import dev.weir.model.CompletedRequest;
import dev.weir.model.HttpStatus;

/** How a request ended, as operators look for it. */
enum RequestOutcome {
  /** Neither of the others. */
  ANSWERED,
  /** 429, or 408 after its deadline: by the gateway, or by a node. */
  REJECTED,
  /** A status of 500 or more. */
  FAILED;

  static RequestOutcome of(CompletedRequest request) {
    int status = request.status();
    if (status >= HttpStatus.INTERNAL_SERVER_ERROR) {
      return FAILED;
    }
    return status == HttpStatus.TOO_MANY_REQUESTS || status == HttpStatus.REQUEST_TIMEOUT
        ? REJECTED
        : ANSWERED;
  }
}
