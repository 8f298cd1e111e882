package dev.weir.model;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the gateway that one request holds, by what it is held for. Whatever takes much is
 * paid for here before it is taken, and given back by whoever took it. Safe on any thread; never
 * blocks.
 */
public interface RequestMemory {
  /** What memory is held for. */
  enum Category {
    /** The gathered body, and a copy of it as it came where that is kept. */
    BODY("body"),
    /** What is made of the body, such as the items of a bulk, with what becomes of them. */
    PARSED_BODY("items of the body"),
    /** Answers of nodes as they came: frames, and what compressed ones inflate to. */
    NODE_RESPONSES("node answers"),
    /** Answers of nodes as objects. */
    DECODED_RESPONSES("decoded answers"),
    /** What a reduction makes that no node sent. */
    REDUCTION("reduction"),
    /** The answer to the client, until it has taken it. */
    CLIENT_RESPONSE("answer to the client");

    private final String label;

    Category(String words) {
      this.label = words;
    }

    /** As people read it. */
    public String label() {
      return label;
    }
  }

  /** Pays for everything. */
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
   * @param growth what grew, for people; asked when it is refused
   * @return null when they are taken; otherwise why not, and nothing is taken then
   */
  @Nullable MemoryRejection reserve(Category item, long bytes, Supplier<List<String>> growth);

  /** Takes bytes of which there is nothing more to say. */
  default @Nullable MemoryRejection reserve(Category item, long bytes) {
    return reserve(item, bytes, List::of);
  }

  /**
   * Takes bytes for which one can wait: a refusal ends nothing, and is neither counted nor kept.
   *
   * @return as {@link #reserve(Category, long, Supplier)} does
   */
  default @Nullable MemoryRejection tryReserve(Category item, long bytes) {
    return reserve(item, bytes);
  }

  /**
   * Takes bytes that must not be refused, though they be more than there are: others are refused
   * until enough was given back. The caller releases them once.
   */
  void forceReserve(Category item, long bytes);

  /** Gives back bytes that were taken. */
  void release(Category item, long bytes);

  /** Tells the gateway's number for the request. */
  default void assignTaskId(long number) {}

  /**
   * The client receives an error: no memory was left for the request's body.
   *
   * @return the gateway's number for the request; 0 for none
   */
  default long recordBodyRejection(MemoryRejection why) {
    return 0;
  }

  /** Whether anything is refused. */
  default boolean isBounded() {
    return true;
  }
}
