/**
 * What runs in a data node's own JVM: OpenSearch from its published jars, with the modules of a
 * stock distribution on the class path instead of in plugin folders.
 *
 * <p>Nothing here is loaded by the process that starts the node; it only knows the main class by
 * name and hands over settings as arguments.
 */
@NullMarked
package dev.weir.testkit.node;

import org.jspecify.annotations.NullMarked;
