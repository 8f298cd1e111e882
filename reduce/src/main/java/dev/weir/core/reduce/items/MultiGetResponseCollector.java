package dev.weir.core.reduce.items;

import java.util.List;
import org.opensearch.action.get.MultiGetInternals;
import org.opensearch.action.get.MultiGetItemResponse;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.get.MultiGetResponse;
import org.opensearch.action.get.MultiGetShardRequest;
import org.opensearch.action.get.MultiGetShardResponse;

/**
 * Collects the responses to the items of one multi-get, each at its item's position. Confined to
 * the request's event loop.
 */
public final class MultiGetResponseCollector {
  private final MultiGetItemResponse[] responses;

  /** Creates a collector without responses. */
  public MultiGetResponseCollector(int size) {
    this.responses = new MultiGetItemResponse[size];
  }

  /** Completes the items of one shard. */
  public void completeShard(MultiGetShardResponse shard) {
    MultiGetInternals.copyItems(shard, responses);
  }

  /** Completes one item with a failure. */
  public void fail(int place, String index, String id, Exception cause) {
    responses[place] =
        new MultiGetItemResponse(null, new MultiGetResponse.Failure(index, id, cause));
  }

  /**
   * Completes the items of one shard with a failure. The first item has the failure itself, which
   * says whether a node was lost; the others share one that is quick to write.
   */
  public void fail(MultiGetShardRequest shard, Exception cause) {
    List<Integer> places = MultiGetInternals.locations(shard);
    List<MultiGetRequest.Item> items = MultiGetInternals.items(shard);
    Exception shared = places.size() > 1 ? StacklessFailure.of(cause) : cause;
    for (int i = 0; i < places.size(); i++) {
      fail(places.get(i), shard.index(), items.get(i).id(), i == 0 ? cause : shared);
    }
  }

  /** Builds the whole response; every item must have its own. */
  public MultiGetResponse buildResponse() {
    return new MultiGetResponse(responses);
  }
}
