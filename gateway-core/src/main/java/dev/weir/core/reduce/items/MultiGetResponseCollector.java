package dev.weir.core.reduce.items;

import java.util.List;
import org.opensearch.action.get.MultiGetInternals;
import org.opensearch.action.get.MultiGetItemResponse;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.get.MultiGetResponse;
import org.opensearch.action.get.MultiGetShardRequest;
import org.opensearch.action.get.MultiGetShardResponse;

/**
 * The answers to the items of one multi-get, each in its place. Confined to the request's event
 * loop.
 */
public final class MultiGetResponseCollector {
  private final MultiGetItemResponse[] responses;

  /** Starts with no answers. */
  public MultiGetResponseCollector(int size) {
    this.responses = new MultiGetItemResponse[size];
  }

  /** Answers the items of one shard. */
  public void completeShard(MultiGetShardResponse shard) {
    MultiGetInternals.copyItems(shard, responses);
  }

  /** Answers one item with a failure. */
  public void fail(int place, String index, String id, Exception cause) {
    responses[place] =
        new MultiGetItemResponse(null, new MultiGetResponse.Failure(index, id, cause));
  }

  /** Answers the items of one shard with a failure. */
  public void fail(MultiGetShardRequest shard, Exception cause) {
    List<Integer> places = MultiGetInternals.locations(shard);
    List<MultiGetRequest.Item> items = MultiGetInternals.items(shard);
    for (int i = 0; i < places.size(); i++) {
      fail(places.get(i), shard.index(), items.get(i).id(), cause);
    }
  }

  /** The whole answer; every item must have its own. */
  public MultiGetResponse buildResponse() {
    return new MultiGetResponse(responses);
  }
}
