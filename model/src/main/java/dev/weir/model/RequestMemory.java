package dev.weir.model;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The account of the gateway's memory that one request holds, by category. Code that needs much
 * memory reserves it here first and releases it afterwards. Safe on any thread; never blocks.
 */
public interface RequestMemory {
  /** The purpose of memory. */
  enum Category {
    /** The buffered body, and a copy of its encoded form where that is kept. */
    BODY("body"),
    /** The parsed body, such as the items of a bulk with their results. */
    PARSED_BODY("items of the body"),
    /** Node responses as received: frames, and their decompressed content. */
    NODE_RESPONSES("node answers"),
    /** Node responses as objects. */
    DECODED_RESPONSES("decoded answers"),
    /** Memory that a reduction takes beyond the node responses, such as empty buckets. */
    REDUCTION("reduction"),
    /** The response to the client, until the client has received it. */
    CLIENT_RESPONSE("answer to the client");

    private final String label;

    Category(String words) {
      this.label = words;
    }

    /** Returns the name for display. */
    public String label() {
      return label;
    }
  }

  /** Grants every reservation. */
  RequestMemory UNBOUNDED =
      new RequestMemory() {
        @Override
        public @Nullable MemoryRejection reserve(
            Category item, long bytes, Supplier<List<String>> growth) {
          return null;
        }

        @Override
        public void forceReserve(Category item, long bytes) {}

        @Override
        public void release(Category item, long bytes) {}

        @Override
        public boolean isBounded() {
          return false;
        }
      };

  /**
   * Reserves bytes; the caller releases them once.
   *
   * @param growth describes for people what grew; called if the reservation is refused
   * @return null if the bytes are reserved, otherwise why nothing was reserved
   */
  @Nullable MemoryRejection reserve(Category item, long bytes, Supplier<List<String>> growth);

  /** Reserves bytes without a description of growth. */
  default @Nullable MemoryRejection reserve(Category item, long bytes) {
    return reserve(item, bytes, List::of);
  }

  /**
   * Tries to reserve bytes that the caller can wait for: a refusal is neither counted nor recorded.
   *
   * @return as {@link #reserve(Category, long, Supplier)}
   */
  default @Nullable MemoryRejection tryReserve(Category item, long bytes) {
    return reserve(item, bytes);
  }

  /**
   * Reserves bytes even beyond the limit; other reservations fail until enough is released. The
   * caller releases the bytes once.
   */
  void forceReserve(Category item, long bytes);

  /** Releases reserved bytes. */
  void release(Category item, long bytes);

  /** Sets the gateway's number for the request. */
  default void assignTaskId(long number) {}

  /**
   * Records that the client gets an error because there was no memory for the request's body.
   *
   * @return the gateway's number for the request; 0 for none
   */
  default long recordBodyRejection(MemoryRejection why) {
    return 0;
  }

  /** Returns up to which size the request's body is parsed. */
  default ParsedBodyLimits parsedBodyLimits() {
    return ParsedBodyLimits.NONE;
  }

  /** Returns how the request can wait for memory; null if its rejections are final. */
  default @Nullable MemoryWait memoryWait() {
    return null;
  }

  /** Returns whether reservations can fail. */
  default boolean isBounded() {
    return true;
  }
}
