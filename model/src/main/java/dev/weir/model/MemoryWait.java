package dev.weir.model;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Lets one request wait for memory that it was refused, and try again. A waiting request holds none
 * of the memory that it waits for, so that two waiting requests never block each other. Requests
 * wait in order of arrival. Safe on any thread; never blocks.
 */
public interface MemoryWait {
  /**
   * Keeps further rejections of this request back: they are neither counted nor recorded until
   * {@link #reportRejection}.
   */
  void deferRejections();

  /** Returns how long the request may wait; zero if it may not. */
  Duration maxWait();

  /** Returns whether the request may pass through to a node if it finds no memory. */
  boolean mayPassThrough();

  /** Returns the last rejection that was kept back; null for none. */
  @Nullable MemoryRejection lastRejection();

  /** Counts and records the last rejection: the client gets it. Does nothing without one. */
  void reportRejection();

  /**
   * Waits until the request could hold twice the bytes that it was refused, and then reserves them
   * for it. The next wait is for as much as one request may hold.
   *
   * @param onGranted runs once, on any thread, when the bytes are reserved
   * @return false if waiting cannot help, or if too many requests wait already
   */
  boolean start(Runnable onGranted);

  /**
   * Waits until the request could hold these bytes beside what it holds, and then reserves them for
   * it. The request reserves them as usual afterwards.
   *
   * @param onGranted as for {@link #start}
   * @return false if the request can never hold the bytes, or if too many requests wait already
   */
  boolean startFor(RequestMemory.Category item, long bytes, Runnable onGranted);

  /**
   * Stops waiting.
   *
   * @return false if the bytes are reserved already, or nothing waited
   */
  boolean stop();

  /** Releases the reserved bytes that the request has not used. */
  void releaseUnused();
}
