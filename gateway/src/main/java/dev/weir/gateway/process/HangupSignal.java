package dev.weir.gateway.process;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SIGHUP, by which an operator asks a process to read its configuration anew. A process that was
 * started to ignore it, as by {@code nohup}, goes on to ignore it.
 */
public final class HangupSignal {
  private static final Logger LOGGER = LoggerFactory.getLogger(HangupSignal.class);

  private HangupSignal() {}

  /**
   * Runs an action at each SIGHUP from now on, on a thread of the JVM's own, instead of ending.
   *
   * <p>The JDK has signals only in {@code sun.misc}, and javac's warning about that can't be
   * suppressed: so the class is called by its name.
   *
   * @return false where there is no such signal, or where the process was started to ignore it
   */
  public static boolean install(Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      MethodHandle run =
          MethodHandles.lookup()
              .findVirtual(Runnable.class, "run", MethodType.methodType(void.class))
              .bindTo(action);
      Object acting =
          MethodHandleProxies.asInterfaceInstance(
              handler, MethodHandles.dropArguments(run, 0, signal));
      Object hangup = signal.getConstructor(String.class).newInstance("HUP");
      Object before = signal.getMethod("handle", signal, handler).invoke(null, hangup, acting);
      return !isIgnored(handler, before);
    } catch (ReflectiveOperationException | IllegalArgumentException none) {
      LOGGER.debug("no SIGHUP here", none);
      return false;
    }
  }

  /** The JDK leaves a signal alone that was ignored when it started, and then returns this. */
  private static boolean isIgnored(Class<?> handler, Object before)
      throws ReflectiveOperationException {
    return before.equals(handler.getField("SIG_IGN").get(null));
  }
}
