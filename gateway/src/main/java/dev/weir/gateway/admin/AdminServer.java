package dev.weir.gateway.admin;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Serves pages of operators or health checks over HTTP/1.1 on its own event loop, so that it
 * responds even when the event loops of clients are busy. Safe on any thread.
 */
public final class AdminServer implements AutoCloseable {
  private static final int MAX_BODY_BYTES = 64 << 10;
  private final EventLoopGroup loop;
  private final ExecutorService pageExecutor;
  private final Channel channel;

  private AdminServer(EventLoopGroup loop, ExecutorService pages, Channel channel) {
    this.loop = loop;
    this.pageExecutor = pages;
    this.channel = channel;
  }

  /**
   * Opens a port.
   *
   * @throws IOException when the address can't be bound
   */
  public static AdminServer start(
      InetSocketAddress address, AdminSite site, AdminServerOptions options) throws IOException {
    EventLoopGroup loop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory(options.threadName(), true), NioIoHandler.newFactory());
    ExecutorService pages =
        Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name(options.threadName() + "-page-", 0).factory());
    AdminConnections connections = new AdminConnections(options.maxConnections());
    AuditLog audit = new AuditLog(System::nanoTime);
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loop)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, options.maxConnections())
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel child) {
                    AdminConnection connection =
                        new AdminConnection(connections, options.requestTimeout());
                    child.pipeline().addLast("connection", connection);
                    Supplier<SslContext> tls = options.tls();
                    if (tls != null) {
                      child.pipeline().addLast("tls", tls.get().newHandler(child.alloc()));
                    }
                    child
                        .pipeline()
                        .addLast("codec", new HttpServerCodec())
                        .addLast("aggregator", new HttpObjectAggregator(MAX_BODY_BYTES))
                        .addLast("one-at-a-time", new FlowControlHandler())
                        .addLast("pages", new AdminHandler(site, audit, connection, pages));
                  }
                });
    try {
      return new AdminServer(loop, pages, bootstrap.bind(address).sync().channel());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop(loop, pages);
      throw new IOException("got an interrupt while binding " + address + " (expected: none)", e);
    } catch (Exception e) {
      stop(loop, pages);
      throw e instanceof IOException bindFailure ? bindFailure : new IOException(e);
    }
  }

  /** The address of the port. */
  public InetSocketAddress address() {
    return (InetSocketAddress) channel.localAddress();
  }

  @Override
  public void close() {
    channel.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    stop(loop, pageExecutor);
  }

  private static void stop(EventLoopGroup loop, ExecutorService pages) {
    pages.shutdownNow();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}
