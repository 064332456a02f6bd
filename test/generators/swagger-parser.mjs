// Validates the document in the first argument.
import parser from '@apidevtools/swagger-parser';

await parser.validate(process.argv[2]);
