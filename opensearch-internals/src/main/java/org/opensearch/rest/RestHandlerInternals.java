package org.opensearch.rest;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.CheckedConsumer;
import org.opensearch.transport.client.node.NodeClient;

/**
 * Runs the two steps of a REST handler apart: it parses a request on one thread, and carries it out
 * on another.
 */
@NullMarked
public final class RestHandlerInternals {
  private RestHandlerInternals() {}

  /**
   * Parses a request, with the checks and errors of {@code handler.handleRequest}.
   *
   * @return what the handler does next, with the channel of the response
   */
  public static CheckedConsumer<RestChannel, Exception> parse(
      BaseRestHandler handler, RestRequest request, NodeClient client) throws Exception {
    ParsingHandler parsing = new ParsingHandler(handler);
    parsing.handleRequest(request, null, client);
    CheckedConsumer<RestChannel, Exception> next = parsing.next;
    if (next == null) {
      throw new IllegalStateException("got no second step from " + handler.getName());
    }
    return next;
  }

  /** Parses as another handler does, and keeps what that would do next. */
  private static final class ParsingHandler extends BaseRestHandler {
    private final BaseRestHandler handler;
    private @Nullable CheckedConsumer<RestChannel, Exception> next;

    ParsingHandler(BaseRestHandler handler) {
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
    protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client)
        throws IOException {
      next = handler.prepareRequest(request, client);
      return channel -> {};
    }
  }
}
