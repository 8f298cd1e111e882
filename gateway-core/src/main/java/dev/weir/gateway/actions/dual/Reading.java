package dev.weir.gateway.actions.dual;

import dev.weir.gateway.parse.ActionExecutor;
import dev.weir.model.RequestContext;
import java.util.List;
import org.opensearch.action.get.GetResponse;
import org.opensearch.action.get.MultiGetAction;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.get.MultiGetResponse;
import org.opensearch.core.action.ActionListener;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/** Reads documents as they are now, refreshed or not. */
final class Reading {
  private Reading() {}

  /** Takes what was read. */
  interface Found {
    void of(PendingWrite write, GetResponse response);
  }

  static void start(
      ActionExecutor executor,
      List<PendingWrite> batch,
      boolean source,
      RequestContext call,
      ActionListener<MultiGetResponse> outcome) {
    MultiGetRequest request = new MultiGetRequest();
    for (PendingWrite write : batch) {
      RepairEntry.Document document = write.document();
      MultiGetRequest.Item item = new MultiGetRequest.Item(document.concrete(), document.id());
      item.routing(document.routing());
      item.fetchSourceContext(
          source ? FetchSourceContext.FETCH_SOURCE : FetchSourceContext.DO_NOT_FETCH_SOURCE);
      request.add(item);
    }
    executor.execute(MultiGetAction.INSTANCE, request, call, outcome);
  }
}
