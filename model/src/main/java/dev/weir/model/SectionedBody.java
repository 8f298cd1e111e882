package dev.weir.model;

import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * A body that is worked on while it comes, in sections of whole items. The first is {@link
 * HttpExchange#body()}; the others come when they are asked for. Whoever has a section frees or
 * abandons it once. Confined to the exchange's home.
 *
 * <p>Until {@link #start} nothing more is read, and the request may still pass through to a node.
 * An answer ends it: what comes after is read and thrown away.
 */
public interface SectionedBody {
  /** Some whole items, one after the other; its memory is held until it is given back. */
  interface Section {
    /** The bytes; the last section's may end in the middle of an item. */
    ByteBuffer bytes();

    /** How many items it has, as far as they are whole. */
    int items();

    /** How many lines it has. */
    int lines();

    /** Nobody reads it any more. */
    void release();

    /** Somebody may still read it: its memory is left to the garbage collector. */
    void leaveToGarbageCollector();
  }

  /** Hears what comes. */
  interface Listener {
    /** The section that was asked for; owned by the reader. */
    void onSection(Section section);

    /** There is no further section. Told once, and nothing after it, as are the others below. */
    void onComplete();

    /**
     * What comes can't be taken: it is too much, or not what it says.
     *
     * @param status that tells the client so
     * @param why for people
     */
    void onInvalid(int status, String why);

    /** The rest will not come: the client has gone. It has no answer. */
    void onDisconnect();
  }

  /** The first section. */
  Section firstSection();

  /**
   * Goes on after the first section.
   *
   * @param reader hears of what comes, once asked for
   */
  void start(Listener reader);

  /** Requests one more section, which the listener receives at once or later. */
  void requestNext();

  /** Runs something on the exchange's home once {@code delay} has passed. */
  void schedule(Duration delay, Runnable action);
}
