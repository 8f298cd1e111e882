package dev.weir.rest;

import dev.weir.model.NodeRequestRules;
import java.util.function.Function;
import java.util.function.Supplier;
import org.opensearch.common.settings.Settings;
import org.opensearch.rest.BaseRestHandler;
import org.opensearch.rest.RestChannel;
import org.opensearch.rest.RestHandler;
import org.opensearch.rest.RestRequest;
import org.opensearch.transport.client.node.NodeClient;

/**
 * A handler of a request whose body may name indices ({@code _bulk}, {@code _mget}, {@code
 * _msearch}): rejects such names, as a node does, while a node of the cluster has {@code
 * rest.action.multi.allow_explicit_index: false}. A proxy in front of that node may permit requests
 * by their URI alone. Safe on any thread.
 */
final class ExplicitIndexHandler extends RestHandler.Wrapper {
  private final BaseRestHandler lenient;
  private final BaseRestHandler strict;
  private final Supplier<NodeRequestRules> rules;

  private ExplicitIndexHandler(
      BaseRestHandler lenient, BaseRestHandler strict, Supplier<NodeRequestRules> rules) {
    super(lenient);
    this.lenient = lenient;
    this.strict = strict;
    this.rules = rules;
  }

  /**
   * Creates the handler.
   *
   * @param constructor of OpenSearch's handler, which reads the setting once
   * @param rules the present rules of the nodes
   */
  static ExplicitIndexHandler create(
      Function<Settings, BaseRestHandler> constructor,
      Settings settings,
      Supplier<NodeRequestRules> rules) {
    return new ExplicitIndexHandler(
        constructor.apply(withExplicitIndex(settings, true)),
        constructor.apply(withExplicitIndex(settings, false)),
        rules);
  }

  private static Settings withExplicitIndex(Settings settings, boolean allowed) {
    return Settings.builder()
        .put(settings)
        .put(BaseRestHandler.MULTI_ALLOW_EXPLICIT_INDEX.getKey(), allowed)
        .build();
  }

  /** Returns OpenSearch's handler under the present rules. */
  BaseRestHandler current() {
    return rules.get().allowsExplicitIndex() ? lenient : strict;
  }

  @Override
  public void handleRequest(RestRequest request, RestChannel channel, NodeClient client)
      throws Exception {
    current().handleRequest(request, channel, client);
  }
}
