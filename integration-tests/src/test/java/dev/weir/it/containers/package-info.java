/**
 * Scenarios on nodes in containers, from images of OpenSearch: other versions than the build has
 * jars of, with all plugins of a distribution.
 *
 * <p>A test is skipped, with the reason, where no container engine runs on this machine or an image
 * can't be had. Containers share the network of this machine, because the gateway connects to the
 * address that a node publishes.
 *
 * <p>Testcontainers starts and ends the containers. Its own cleaner is itself a container, whose
 * image may be missing; the build disables it. In its place each test closes its containers, a
 * shutdown hook of Testcontainers removes those of a JVM that ends early, and {@link
 * dev.weir.it.containers.ContainerEngine} removes those of a JVM that was killed, before it starts
 * others.
 */
@NullMarked
package dev.weir.it.containers;

import org.jspecify.annotations.NullMarked;
