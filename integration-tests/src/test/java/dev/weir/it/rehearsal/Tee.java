package dev.weir.it.rehearsal;

import dev.weir.gateway.rehearsal.Recording;
import dev.weir.gateway.rehearsal.WireFrame;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands before a node's transport port and remembers the first answer to each request. */
final class Tee implements AutoCloseable {
  private final ServerSocket listener;
  private final InetSocketAddress node;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final Map<WireFrame.Key, WireFrame> answers = new LinkedHashMap<>();

  private Tee(ServerSocket listener, InetSocketAddress node) {
    this.listener = listener;
    this.node = node;
  }

  static Tee start(int port, InetSocketAddress node) {
    try {
      Tee tee = new Tee(new ServerSocket(port), node);
      Thread.ofPlatform().daemon().name("tee").start(tee::accept);
      return tee;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Recording recording() {
    synchronized (answers) {
      return new Recording(answers);
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket server = new Socket(node.getAddress(), node.getPort());
        sockets.add(client);
        sockets.add(server);
        Map<Long, WireFrame.Key> waiting = new ConcurrentHashMap<>();
        Thread.ofPlatform().daemon().start(() -> copy(client, server, waiting));
        Thread.ofPlatform().daemon().start(() -> copy(server, client, waiting));
      } catch (IOException closed) {
        // The listener is closed.
      }
    }
  }

  private void copy(Socket from, Socket to, Map<Long, WireFrame.Key> waiting) {
    try (from;
        to) {
      DataInputStream in = new DataInputStream(new BufferedInputStream(from.getInputStream()));
      for (WireFrame frame = WireFrame.read(in); frame != null; frame = WireFrame.read(in)) {
        if (!frame.isPing()) {
          remember(frame, waiting);
        }
        to.getOutputStream().write(frame.bytes());
      }
    } catch (IOException gone) {
      // One of the two has closed.
    }
  }

  private void remember(WireFrame frame, Map<Long, WireFrame.Key> waiting) throws IOException {
    if (!frame.isResponse()) {
      waiting.put(frame.requestId(), frame.key());
      return;
    }
    WireFrame.Key key = waiting.remove(frame.requestId());
    if (key != null) {
      synchronized (answers) {
        answers.putIfAbsent(key, frame);
      }
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
