// ARX: local recoding as shipped, or one level for each column with a share of rows left out.
// java -cp libarx.jar ByArx.java '{"table": ..., "out": ..., "k": ...}'; see exchange.py.

import java.io.File;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

public class ByArx {

    public static void main(String[] args) throws Exception {
        String asked = args[0];
        boolean global = field(asked, "setting").equals("full-domain");
        Data data = Data.create(field(asked, "table"), StandardCharsets.UTF_8, ',');
        DataHandle input = data.getHandle();
        data.getDefinition().setAttributeType("row", AttributeType.INSENSITIVE_ATTRIBUTE);
        for (int column = 1; column < input.getNumColumns(); column++) {
            String name = input.getAttributeName(column);
            String file = field(asked, Pattern.quote(name));
            Hierarchy tree = Hierarchy.create(file, StandardCharsets.UTF_8, ';');
            data.getDefinition().setAttributeType(name, tree);
        }
        ARXConfiguration configuration = ARXConfiguration.create();
        configuration.addPrivacyModel(new KAnonymity(Integer.parseInt(field(asked, "k"))));
        double share = global ? Double.parseDouble(field(asked, "withhold")) : 1d;
        configuration.setSuppressionLimit(share);
        configuration.setQualityModel(Metric.createLossMetric(global ? 0.5d : 0d));
        double begun = seconds();
        ARXResult result = new ARXAnonymizer().anonymize(data, configuration);
        DataHandle output = result.getOutput();
        if (!global) {
            result.optimizeIterativeFast(output, 0.01d);
        }
        double taken = seconds() - begun;
        write(output, field(asked, "out"));
        System.out.println("{\"seconds\": " + taken + "}");
    }

    /** Read a field of the JSON object that is asked: a text or a number. */
    private static String field(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\": (?:\"([^\"]*)\"|([0-9.]+))").matcher(json);
        found.find();
        return found.group(1) != null ? found.group(1) : found.group(2);
    }

    /** Write published rows; those that ARX suppressed are left out. */
    private static void write(DataHandle output, String path) throws Exception {
        try (PrintWriter file = new PrintWriter(new File(path), StandardCharsets.UTF_8)) {
            Iterator<String[]> rows = output.iterator();
            file.println(String.join(",", rows.next()));
            for (int row = 0; rows.hasNext(); row++) {
                String[] cells = rows.next();
                if (!output.isOutlier(row)) {
                    file.println("\"" + String.join("\",\"", cells) + "\"");
                }
            }
        }
    }

    private static double seconds() {
        com.sun.management.OperatingSystemMXBean machine =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return machine.getProcessCpuTime() / 1e9;
    }
}
