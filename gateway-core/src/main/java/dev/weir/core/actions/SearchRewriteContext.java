package dev.weir.core.actions;

import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.RequestContext;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.IndicesRequest;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.core.action.ActionListener;
import org.opensearch.index.query.BaseQueryRewriteContext;
import org.opensearch.index.query.QueryCoordinatorContext;
import org.opensearch.transport.client.Client;

/**
 * Rewrites a query before it is sent to shards. A node carries out the lookups that this needs (the
 * terms of a terms lookup, the document of a more-like-this).
 */
final class SearchRewriteContext extends QueryCoordinatorContext {
  SearchRewriteContext(
      SearchActionServices setup,
      SearchRequest request,
      RequestContext context,
      SearchCaller caller) {
    super(new GatewayRewriteContext(setup, request, context, caller), (IndicesRequest) request);
  }

  private static final class GatewayRewriteContext extends BaseQueryRewriteContext {
    private final SearchActionServices setup;
    private final RequestContext context;
    private final SearchCaller caller;
    private @Nullable Client lookups;

    GatewayRewriteContext(
        SearchActionServices setup,
        SearchRequest request,
        RequestContext context,
        SearchCaller caller) {
      super(
          setup.registries().xContents(),
          setup.registries().writeables(),
          null, // created on first use
          request::getOrCreateAbsoluteStartMillis,
          false);
      this.setup = setup;
      this.context = context;
      this.caller = caller;
    }

    @Override
    public void registerAsyncAction(BiConsumer<Client, ActionListener<?>> asyncAction) {
      super.registerAsyncAction((none, listener) -> asyncAction.accept(lookups(), listener));
    }

    private Client lookups() {
      Client known = lookups;
      if (known == null) {
        known = new RewriteLookupClient(setup, context, caller);
        lookups = known;
      }
      return known;
    }
  }
}
