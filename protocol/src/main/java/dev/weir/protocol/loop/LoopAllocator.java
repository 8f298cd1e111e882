package dev.weir.protocol.loop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Decides how many event loops serve connections: as few as carry the load. Requests on the same
 * loop share system calls, wake-ups and caches, so a request costs less there than on loops that
 * are mostly idle.
 *
 * <p>One loop serves at first. Another one is added soon after a loop gets busy, and left out when
 * the rest can carry its work for a while. Open connections stay where they are, unless their loop
 * stays overloaded while another one has little to do. Pure computation; confined to one thread,
 * except for {@link #loopsInUse}, {@link #next} and {@link #tryMoveAway}, which are safe on any
 * thread.
 */
public final class LoopAllocator {
  /** A loop that computes for more of the time needs help. */
  private static final double BUSY = 0.7;

  /** A loop that computes for more of the time is overloaded. */
  private static final double OVERLOADED = 0.9;

  /** Loops carry the work of another one if none of them then computes for more of the time. */
  private static final double CARRIED = 0.5;

  /** How many measurements in a row must agree before a loop is added. */
  private static final int BUSY_SAMPLES = 2;

  /** How many measurements in a row must agree before connections leave a loop. */
  private static final int OVERLOADED_SAMPLES = 8;

  /** Connections that may leave one overloaded loop between two measurements. */
  private static final int MOVES = 8;

  /** New connections go to loops at most so much busier than the least busy one. */
  private static final double EQUAL = 0.1;

  private final int size;
  private final int idleSamples;
  private final double[] shares;
  private final int[] overloadedCounts;
  private final AtomicInteger turn = new AtomicInteger();
  private volatile Assignment assignment;
  private int busyCount;
  private int idleCount;

  /**
   * What new and open connections follow until the next measurement.
   *
   * @param inUse how many loops get new connections
   * @param targets those of them to which the next ones go in turn
   * @param moves how many connections may still leave each loop
   */
  private record Assignment(int inUse, List<Integer> targets, AtomicIntegerArray moves) {}

  /**
   * Starts with one loop in use.
   *
   * @param size the number of loops, at least one
   * @param idleSamples how many measurements in a row must agree before a loop is left out
   */
  public LoopAllocator(int size, int idleSamples) {
    this.size = size;
    this.idleSamples = idleSamples;
    this.shares = new double[size];
    this.overloadedCounts = new int[size];
    this.assignment = assign(1);
  }

  /**
   * Takes a measurement of all loops in.
   *
   * @param computing the part of the time since the last measurement, 0 to 1, for which each loop
   *     used a processor
   */
  void update(double[] computing) {
    for (int loop = 0; loop < size; loop++) {
      shares[loop] = (shares[loop] + computing[loop]) / 2;
      overloadedCounts[loop] = shares[loop] > OVERLOADED ? overloadedCounts[loop] + 1 : 0;
    }
    int inUse = assignment.inUse;
    double busiest = Arrays.stream(shares).max().orElse(0);
    busyCount = busiest > BUSY ? busyCount + 1 : 0;
    idleCount =
        inUse > 1 && Arrays.stream(shares).sum() / (inUse - 1) < CARRIED ? idleCount + 1 : 0;
    if (busyCount >= BUSY_SAMPLES && inUse < size) {
      inUse++;
      busyCount = 0;
    } else if (idleCount >= idleSamples) {
      inUse--;
      idleCount = 0;
    }
    assignment = assign(inUse);
  }

  private Assignment assign(int inUse) {
    double least = Arrays.stream(shares, 0, inUse).min().orElse(0);
    List<Integer> targets = new ArrayList<>(inUse);
    for (int loop = 0; loop < inUse; loop++) {
      if (shares[loop] <= least + EQUAL) {
        targets.add(loop);
      }
    }
    AtomicIntegerArray moves = new AtomicIntegerArray(size);
    for (int loop = 0; loop < size; loop++) {
      if (overloadedCounts[loop] >= OVERLOADED_SAMPLES && shares[loop] > 2 * least) {
        moves.set(loop, MOVES);
      }
    }
    return new Assignment(inUse, targets, moves);
  }

  /** Returns how many loops get new connections: those with the lowest indexes. */
  public int loopsInUse() {
    return assignment.inUse;
  }

  /** Returns the index of the loop for a new connection. */
  public int next() {
    List<Integer> targets = assignment.targets;
    return targets.get(Math.floorMod(turn.getAndIncrement(), targets.size()));
  }

  /**
   * Returns whether a connection of this loop should be closed after its response, so that its
   * client opens another one on a better loop. Each call that returns true uses up one move.
   */
  public boolean tryMoveAway(int loop) {
    AtomicIntegerArray moves = assignment.moves;
    return moves.get(loop) > 0 && moves.getAndDecrement(loop) > 0;
  }
}
