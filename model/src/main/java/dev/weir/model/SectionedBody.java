package dev.weir.model;

import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * A body that is processed while it arrives, in sections of whole items. The first section is
 * {@link HttpExchange#body()}; later ones must be requested. The receiver of a section releases or
 * abandons it once. Confined to the exchange's event loop.
 *
 * <p>Until {@link #start} nothing more is read, and the request may still pass through to a node. A
 * response ends the body: the gateway reads and discards the rest.
 */
public interface SectionedBody {
  /** Whole items of the body. The section holds memory until it is released. */
  interface Section {
    /** Returns the bytes; the last section may end in the middle of an item. */
    ByteBuffer bytes();

    /** Returns the number of whole items. */
    int items();

    /** Returns the number of lines. */
    int lines();

    /** Releases the memory; no code reads the section any more. */
    void release();

    /** Leaves the memory to the garbage collector, because some code may still read it. */
    void leaveToGarbageCollector();
  }

  /** Receives the sections of a body. */
  interface Listener {
    /** A requested section arrived; the listener owns it. */
    void onSection(Section section);

    /**
     * There is no further section. This method and the ones below are called at most once, and no
     * method is called afterwards.
     */
    void onComplete();

    /**
     * The body is too large or malformed.
     *
     * @param status the HTTP status of the response to the client
     * @param why for people
     */
    void onInvalid(int status, String why);

    /** The client disconnected, so the rest will not arrive and no response can be sent. */
    void onDisconnect();
  }

  /** Returns the first section. */
  Section firstSection();

  /**
   * Continues after the first section.
   *
   * @param reader receives the requested sections
   */
  void start(Listener reader);

  /** Requests one more section, which the listener receives at once or later. */
  void requestNext();

  /** Runs an action on the exchange's event loop after {@code delay}. */
  void schedule(Duration delay, Runnable action);
}
