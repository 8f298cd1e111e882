package org.opensearch.rest;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.opensearch.common.CheckedConsumer;
import org.opensearch.transport.client.node.NodeClient;

/**
 * Runs the two steps of a REST handler apart, so that it can parse a request on one thread, and
 * carry it out on another.
 */
@NullMarked
public final class RestHandlerInternals {
  private RestHandlerInternals() {}

  /**
   * Parses a request, with the checks and errors of {@code handler.handleRequest}. That collects
   * the unused parameters of each request; here only a request that has some goes that way.
   *
   * @return what the handler does next, with the channel of the response
   */
  public static CheckedConsumer<RestChannel, Exception> parse(
      BaseRestHandler handler, RestRequest request, NodeClient client) throws Exception {
    CheckedConsumer<RestChannel, Exception> next = handler.prepareRequest(request, client);
    if (!usesAll(handler, request)) {
      new Checks(handler).handleRequest(request, null, client);
    }
    return next;
  }

  /** Returns whether the parsed request has no parameter that its handler did not read. */
  private static boolean usesAll(BaseRestHandler handler, RestRequest request) {
    List<String> consumed = request.consumedParams();
    for (String name : request.params().keySet()) {
      if (!consumed.contains(name) && !handler.responseParams().contains(name)) {
        return false;
      }
    }
    return true;
  }

  /** Checks a parsed request for another handler. */
  private static final class Checks extends BaseRestHandler {
    private final BaseRestHandler handler;

    Checks(BaseRestHandler handler) {
      this.handler = handler;
    }

    @Override
    public String getName() {
      return handler.getName();
    }

    @Override
    public List<Route> routes() {
      return handler.routes();
    }

    @Override
    protected Set<String> responseParams() {
      return handler.responseParams();
    }

    @Override
    protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
      return channel -> {};
    }
  }
}
