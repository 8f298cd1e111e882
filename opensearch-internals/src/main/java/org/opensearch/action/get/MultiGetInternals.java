package org.opensearch.action.get;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;
import org.opensearch.core.common.io.stream.Writeable;

/** Gives access to the package-private parts of OpenSearch's multi-get classes. */
@NullMarked
public final class MultiGetInternals {
  private MultiGetInternals() {}

  /** Creates an empty request for the items of one shard. */
  public static MultiGetShardRequest createShardRequest(
      MultiGetRequest request, String index, int shard) {
    return new MultiGetShardRequest(request, index, shard);
  }

  /** Adds an item with its position in the whole request. */
  public static void add(MultiGetShardRequest request, int location, MultiGetRequest.Item item) {
    request.add(location, item);
  }

  /** Returns the positions of the items in the whole request. */
  public static List<Integer> locations(MultiGetShardRequest request) {
    return request.locations;
  }

  public static List<MultiGetRequest.Item> items(MultiGetShardRequest request) {
    return request.items;
  }

  /**
   * Returns a reader of the response for one shard.
   *
   * @param failures replaces the failure of each item as soon as it is read
   */
  public static Writeable.Reader<MultiGetShardResponse> shardResponseReader(
      UnaryOperator<Exception> failures) {
    return in -> {
      MultiGetShardResponse response = new MultiGetShardResponse();
      for (int left = in.readVInt(); left > 0; left--) {
        int location = in.readVInt();
        GetResponse found = in.readBoolean() ? new GetResponse(in) : null;
        if (in.readBoolean()) {
          MultiGetResponse.Failure failed = new MultiGetResponse.Failure(in);
          response.add(
              location,
              new MultiGetResponse.Failure(
                  failed.getIndex(), failed.getId(), failures.apply(failed.getFailure())));
        } else {
          response.add(location, found);
        }
      }
      return response;
    };
  }

  /** Copies the items of a shard's response to their positions. */
  public static void copyItems(MultiGetShardResponse response, MultiGetItemResponse[] places) {
    for (int i = 0; i < response.locations.size(); i++) {
      places[response.locations.get(i)] =
          new MultiGetItemResponse(response.responses.get(i), response.failures.get(i));
    }
  }
}
