package dev.weir.gateway.process;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles SIGHUP, with which an operator reloads the configuration. A process that was started to
 * ignore the signal, as {@code nohup} does, keeps ignoring it.
 */
public final class HangupSignal {
  private static final Logger LOGGER = LoggerFactory.getLogger(HangupSignal.class);

  private HangupSignal() {}

  /**
   * Runs an action at each SIGHUP, on a thread of the JVM; the signal no longer ends the process.
   *
   * <p>The JDK has signals only in {@code sun.misc}. The code calls that class by reflection,
   * because javac's warning about it can't be suppressed.
   *
   * @return false where the signal does not exist, or where the process was started to ignore it
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
    } catch (ReflectiveOperationException | IllegalArgumentException missing) {
      LOGGER.debug("this system has no SIGHUP", missing);
      return false;
    }
  }

  /** Returns true for a signal that was ignored at the start: the JDK keeps ignoring it. */
  private static boolean isIgnored(Class<?> handler, Object before)
      throws ReflectiveOperationException {
    return before.equals(handler.getField("SIG_IGN").get(null));
  }
}
