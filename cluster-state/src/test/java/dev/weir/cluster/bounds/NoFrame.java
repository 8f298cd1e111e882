package dev.weir.cluster.bounds;

import dev.weir.protocol.ReplyFrame;
import java.lang.reflect.Proxy;

/** The frame of a reply that came from no node: nobody may look at it. */
final class NoFrame {
  static final ReplyFrame INSTANCE =
      (ReplyFrame)
          Proxy.newProxyInstance(
              ReplyFrame.class.getClassLoader(),
              new Class<?>[] {ReplyFrame.class},
              (proxy, method, arguments) -> {
                throw new UnsupportedOperationException();
              });

  private NoFrame() {}
}
