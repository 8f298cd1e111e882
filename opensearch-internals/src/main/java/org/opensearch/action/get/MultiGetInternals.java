package org.opensearch.action.get;

import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.opensearch.core.common.io.stream.Writeable;

/** The way to what OpenSearch's multi-get classes keep in their package. */
@NullMarked
public final class MultiGetInternals {
  private MultiGetInternals() {}

  /** An empty request for the items of one shard. */
  public static MultiGetShardRequest createShardRequest(
      MultiGetRequest request, String index, int shard) {
    return new MultiGetShardRequest(request, index, shard);
  }

  /** Adds an item and its place in the whole request. */
  public static void add(MultiGetShardRequest request, int location, MultiGetRequest.Item item) {
    request.add(location, item);
  }

  /** The places of the items in the whole request. */
  public static List<Integer> locations(MultiGetShardRequest request) {
    return request.locations;
  }

  /** The items. */
  public static List<MultiGetRequest.Item> items(MultiGetShardRequest request) {
    return request.items;
  }

  /** Reads the answer for one shard. */
  public static Writeable.Reader<MultiGetShardResponse> shardResponseReader() {
    return MultiGetShardResponse::new;
  }

  /** Puts the items of a shard's answer into their places. */
  public static void copyItems(MultiGetShardResponse response, MultiGetItemResponse[] places) {
    for (int i = 0; i < response.locations.size(); i++) {
      places[response.locations.get(i)] =
          new MultiGetItemResponse(response.responses.get(i), response.failures.get(i));
    }
  }
}
