package dev.weir.gateway;

import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RouteFilter;

/**
 * Has the bodies of {@code _bulk/stream} go on to a node as they arrive: its client may wait for
 * the response to some documents before it sends more. The gateway gathers the beginning of other
 * bodies first. Safe on any thread.
 */
final class StreamingPassThroughFilter implements RouteFilter {
  private static final String PATH = "/_bulk/stream";

  @Override
  public Decision filter(String method, String uri, Decision decision) {
    return decision instanceof PassThrough through && isBulkStream(method, uri)
        ? through.streamingBody()
        : decision;
  }

  private static boolean isBulkStream(String method, String uri) {
    int query = uri.indexOf('?');
    int end = query < 0 ? uri.length() : query;
    while (end > 0 && uri.charAt(end - 1) == '/') {
      end--;
    }
    return uri.startsWith(PATH, end - PATH.length())
        && (method.equals("POST") || method.equals("PUT"));
  }

  @Override
  public PassThrough filterLargeBody(String method, String uri, PassThrough decision) {
    return decision;
  }

  @Override
  public PassThrough filterAfterBody(String method, String uri, PassThrough decision) {
    return decision;
  }
}
