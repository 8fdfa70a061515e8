package colconf;

/** Compiles source files into a folder of classes: the folder, then the files. */
public class Build {
    public static void main(String[] arguments) throws Exception {
        java.io.File[] sources = new java.io.File[arguments.length - 1];
        for (int i = 1; i < arguments.length; i++) sources[i - 1] = new java.io.File(arguments[i]);
        org.codehaus.janino.Compiler compiler = new org.codehaus.janino.Compiler(
            org.codehaus.commons.compiler.util.resource.ResourceFinder.EMPTY_RESOURCE_FINDER,
            new org.codehaus.janino.ClassLoaderIClassLoader(Build.class.getClassLoader()));
        compiler.setClassFileCreator(new org.codehaus.commons.compiler.util.resource.DirectoryResourceCreator(
            new java.io.File(arguments[0])));
        compiler.setDebugLines(true);
        compiler.setDebugSource(true);
        compiler.compile(sources);
    }
}
