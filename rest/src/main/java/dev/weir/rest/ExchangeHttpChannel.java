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
 * One exchange as OpenSearch's REST layer sees a connection: open until the exchange is over, be it
 * because the client went away (running tasks are then cancelled) or because it was answered (then
 * none are left). Confined to the exchange's home.
 */
final class ExchangeHttpChannel implements HttpChannel {
  private final RestExchange exchange;
  private final List<ActionListener<Void>> closeListeners = new ArrayList<>(1);
  private boolean open = true;

  ExchangeHttpChannel(RestExchange exchange) {
    this.exchange = exchange;
  }

  /** The channel that a request came by. */
  static ExchangeHttpChannel of(RestRequest request) {
    return (ExchangeHttpChannel) request.getHttpChannel();
  }

  /** The exchange it stands for. */
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

  /** Never called: answers leave by {@link ExchangeRestChannel}. */
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
