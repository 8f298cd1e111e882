package dev.weir.rest;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.action.ActionListener;
import org.opensearch.http.HttpChannel;
import org.opensearch.http.HttpResponse;
import org.opensearch.rest.RestRequest;

/**
 * One exchange as an HTTP channel for OpenSearch's REST layer. The channel is open until the
 * exchange ends: after a disconnect, when running tasks are cancelled, or after the response, when
 * no task is left. Confined to the exchange's event loop.
 */
final class ExchangeHttpChannel implements HttpChannel {
  private final RestExchange exchange;
  private final List<ActionListener<Void>> closeListeners = new ArrayList<>(1);
  private boolean open = true;

  ExchangeHttpChannel(RestExchange exchange) {
    this.exchange = exchange;
  }

  /** Returns the channel of a request. */
  static ExchangeHttpChannel of(RestRequest request) {
    return (ExchangeHttpChannel) request.getHttpChannel();
  }

  RestExchange exchange() {
    return exchange;
  }

  @Override
  public void addCloseListener(ActionListener<Void> listener) {
    if (open) {
      closeListeners.add(listener);
    } else {
      listener.onResponse(null);
    }
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    if (open) {
      open = false;
      closeListeners.forEach(listener -> listener.onResponse(null));
      closeListeners.clear();
    }
  }

  /** Never called: responses are sent through {@link ExchangeRestChannel}. */
  @Override
  public void sendResponse(HttpResponse response, ActionListener<Void> listener) {
    throw new UnsupportedOperationException(
        "got an answer on the HTTP channel (expected: on the REST channel)");
  }

  @Override
  public @Nullable InetSocketAddress getLocalAddress() {
    return null;
  }

  @Override
  public @Nullable InetSocketAddress getRemoteAddress() {
    return exchange.remoteAddress() instanceof InetSocketAddress address ? address : null;
  }
}
