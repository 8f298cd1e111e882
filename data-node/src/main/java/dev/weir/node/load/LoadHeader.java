package dev.weir.node.load;

/**
 * The transport header of load reports. In a request its value is the id of the node that the
 * gateway sends it to, so that no other node answers to which that node passes work on. In a
 * response it is seven numbers, separated by commas, {@code -} for one that is unknown:
 *
 * <pre>
 *   running tasks of the pool, queued tasks of the pool, EWMA of service time in nanoseconds,
 *   CPU in percent, heap in percent, milliseconds of GC pauses since the node started, merges
 * </pre>
 *
 * <p>The gateway reads it in {@code dev.weir.protocol.NodeLoadReport}.
 */
final class LoadHeader {
  /** The name, in requests and in responses. */
  static final String NAME = "weir-load";

  private LoadHeader() {}

  /**
   * Writes a response's value.
   *
   * @param running tasks; negative if unknown, as are the other numbers
   */
  static String format(long running, long queued, long serviceNanos, ProcessLoad process) {
    StringBuilder out = new StringBuilder(48);
    append(out, running).append(',');
    append(out, queued).append(',');
    append(out, serviceNanos).append(',');
    append(out, process.cpuPercent()).append(',');
    append(out, process.heapPercent()).append(',');
    append(out, process.gcPauseMillis()).append(',');
    return append(out, process.merges()).toString();
  }

  private static StringBuilder append(StringBuilder out, long number) {
    return number < 0 ? out.append('-') : out.append(number);
  }
}
