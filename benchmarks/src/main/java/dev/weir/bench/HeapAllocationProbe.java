package dev.weir.bench;

import com.sun.management.ThreadMXBean;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** Reads how many bytes another JVM on this machine has allocated on its heap so far. */
public final class HeapAllocationProbe implements AutoCloseable {
  private final JMXConnector connector;
  private final ThreadMXBean threads;

  private HeapAllocationProbe(JMXConnector connector, ThreadMXBean threads) {
    this.connector = connector;
    this.threads = threads;
  }

  /** Attaches to a JVM by its process id. */
  @SuppressWarnings("BanJNDI") // a JVM of our own, on this machine
  public static HeapAllocationProbe attach(long pid) {
    try {
      VirtualMachine jvm = VirtualMachine.attach(Long.toString(pid));
      String address = jvm.startLocalManagementAgent();
      jvm.detach();
      JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address));
      return new HeapAllocationProbe(
          connector,
          ManagementFactory.newPlatformMXBeanProxy(
              connector.getMBeanServerConnection(),
              "java.lang:type=Threading",
              ThreadMXBean.class));
    } catch (AttachNotSupportedException e) {
      throw new IllegalStateException("can't attach to process " + pid, e);
    } catch (IOException e) {
      throw new UncheckedIOException("can't ask process " + pid + " for its allocations", e);
    }
  }

  /** Returns the bytes allocated since the JVM's start. */
  public long allocatedBytes() {
    return threads.getTotalThreadAllocatedBytes();
  }

  @Override
  public void close() {
    try {
      connector.close();
    } catch (IOException e) {
      throw new UncheckedIOException("can't close the management connection", e);
    }
  }
}
