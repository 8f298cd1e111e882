package dev.weir.core.reduce.items;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.bulk.BulkItemResponse;

/**
 * The responses to the items of one bulk, each at its item's position: as an object, or as a row of
 * its shard's response. Confined to one thread.
 */
final class BulkResults {
  private final @Nullable BulkItemResponse[] items;

  /** The responses that have the rows; null while no item has one. */
  private @Nullable ColumnarShardResponse @Nullable [] shards;

  private int[] rows = {};

  BulkResults(int size) {
    this.items = new BulkItemResponse[size];
  }

  int size() {
    return items.length;
  }

  boolean has(int slot) {
    return items[slot] != null || (shards != null && shards[slot] != null);
  }

  void set(int slot, BulkItemResponse item) {
    items[slot] = item;
    if (shards != null) {
      shards[slot] = null;
    }
  }

  void setRow(int slot, ColumnarShardResponse shard, int row) {
    if (shards == null) {
      shards = new ColumnarShardResponse[items.length];
      rows = new int[items.length];
    }
    shards[slot] = shard;
    rows[slot] = row;
    items[slot] = null;
  }

  /** Returns whether any item failed. */
  boolean hasFailures() {
    for (BulkItemResponse item : items) {
      if (item != null && item.isFailed()) {
        return true;
      }
    }
    return false;
  }

  /** Returns the response to an item, which must have one. */
  BulkItemResponse get(int slot) {
    BulkItemResponse item = items[slot];
    return item == null ? Objects.requireNonNull(shards)[slot].toItem(rows[slot]) : item;
  }

  /** Returns all responses; every item must have one. */
  BulkItemResponse[] toArray() {
    BulkItemResponse[] all = new BulkItemResponse[items.length];
    for (int slot = 0; slot < all.length; slot++) {
      all[slot] = get(slot);
    }
    return all;
  }

  /** Writes the response to an item. */
  void writeTo(BulkItemsJsonWriter json, int slot) throws IOException {
    ColumnarShardResponse shard = shards == null ? null : shards[slot];
    if (shard == null) {
      json.add(get(slot));
    } else {
      json.add(shard, rows[slot]);
    }
  }
}
